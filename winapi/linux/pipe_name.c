/* SPDX-License-Identifier: MIT
 *
 * pipe_name.c - names of named pipes, and the addresses of their sockets.
 *
 * The case of A to Z does not matter. If a name is too long for an address, the address has its
 * beginning and a hash of the whole name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "winapi/linux/pipe.h"

enum { LONGEST_NAME = 256 }; /* with \\.\pipe\ */

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

bool win__is_pipe_path(LPCSTR path)
{
    return path && is_slash(path[0]) && is_slash(path[1]) && (path[2] == '.' || path[2] == '?') &&
           is_slash(path[3]) && !strncasecmp(path + 4, "pipe", 4) && is_slash(path[8]);
}

char *win__pipe_key(LPCSTR path)
{
    char *key = NULL;
    if (!path)
        win__fail(ERROR_PATH_NOT_FOUND);
    else if (!win__is_pipe_path(path) || !path[9] || strlen(path) > LONGEST_NAME)
        win__fail(ERROR_INVALID_NAME);
    else if (!(key = strdup(path + 9)))
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    for (char *at = key; at && *at; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
        else if (*at == '/')
            *at = '\\';
    return key;
}

/* The hash FNV-1a. */
static uint64_t number_of(const char *text)
{
    uint64_t number = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        number = (number ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return number;
}

unsigned win__pipe_address(const char *key, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    char *name = address->sun_path + 1; /* a zero at the beginning makes it abstract */
    size_t room = sizeof address->sun_path - 1;
    int length = snprintf(name, room, "umsshim/%u/pipe/%s", (unsigned)geteuid(), key);
    if ((size_t)length >= room) {
        enum { NUMBER = 17 };
        length = (int)room - 1;
        snprintf(name + length - NUMBER, NUMBER + 1, "#%016llx",
                 (unsigned long long)number_of(key));
    }
    return (unsigned)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}
