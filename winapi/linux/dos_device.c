/* SPDX-License-Identifier: MIT
 *
 * dos_device.c - finds the device that a path names, by the text alone, without a look at files.
 */
#include "winapi/linux/dos_device.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "winapi/linux/path_steps.h"

static const struct {
    const char *name;
    enum dos_device device;
} names[] = {
    {"NUL", DEVICE_NUL},        {"CON", DEVICE_CON},    {"CONIN$", DEVICE_CONIN},
    {"CONOUT$", DEVICE_CONOUT}, {"AUX", DEVICE_ABSENT}, {"PRN", DEVICE_ABSENT},
};

/* A port's number: 1 to 9, or a superscript 1, 2 or 3 in UTF-8. */
static bool is_port_number(const char *text, size_t length)
{
    if (length == 1)
        return *text >= '1' && *text <= '9';
    return length == 2 && (!memcmp(text, "\xc2\xb9", 2) || !memcmp(text, "\xc2\xb2", 2) ||
                           !memcmp(text, "\xc2\xb3", 2));
}

static enum dos_device device_of(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length == strlen(names[i].name) && !strncasecmp(text, names[i].name, length))
            return names[i].device;
    bool port = length > 3 && (!strncasecmp(text, "COM", 3) || !strncasecmp(text, "LPT", 3));
    return port && is_port_number(text + 3, length - 3) ? DEVICE_ABSENT : DEVICE_NONE;
}

/* The length of a name's part before a dot or colon, without the spaces at its end. */
static size_t stem(const char *name)
{
    size_t length = strcspn(name, ".:");
    while (length && name[length - 1] == ' ')
        length--;
    return length;
}

static size_t without_dots_and_spaces(const char *name)
{
    size_t length = strlen(name);
    while (length && (name[length - 1] == '.' || name[length - 1] == ' '))
        length--;
    return length;
}

/* For \\.\name. A device's name with something behind it is no device and no file either. */
static enum dos_device in_device_space(const char *name)
{
    enum dos_device exactly = device_of(name, without_dots_and_spaces(name));
    if (exactly || strpbrk(name, "/\\"))
        return exactly;
    return device_of(name, stem(name)) ? DEVICE_ABSENT : DEVICE_NONE;
}

enum dos_device win__dos_device(const char *path)
{
    if (win__is_slash(path[0]) && win__is_slash(path[1])) {
        if (path[2] == '.' && win__is_slash(path[3]))
            return in_device_space(path + 4);
        if (path[2] == '?' && win__is_slash(path[3]))
            return device_of(path + 4, strlen(path + 4));
        return DEVICE_NONE;
    }
    const char *name = path;
    bool drive = ((path[0] | 0x20) >= 'a' && (path[0] | 0x20) <= 'z') && path[1] == ':';
    if (drive)
        name += 2;
    for (const char *at = name; *at; at++)
        if (win__is_slash(*at))
            name = at + 1;
    return device_of(name, stem(name));
}
