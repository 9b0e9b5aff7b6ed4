/* SPDX-License-Identifier: MIT
 *
 * paths.c - names and paths: whole ones, their parts, wildcards, devices, pipes, command lines and
 * variables in a text. No file is opened.
 */
#include <sys/socket.h>
#include <sys/un.h>

#include "fuzz.h"
#include "winapi/linux/child_arguments.h"
#include "winapi/linux/dos_device.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/file_pattern.h"
#include "winapi/linux/pipe.h"
#include "winapi/linux/text.h"

#pragma GCC visibility push(default)
#include <shlwapi.h>
LPWSTR *WINAPI CommandLineToArgvW(LPCWSTR lpCmdLine, int *pNumArgs);
#pragma GCC visibility pop

enum { MOST_TEXT = 1024, PATH_ROOM = 2 * MAX_PATH };

static void *memory_of(size_t bytes)
{
    void *memory = malloc(bytes);

    MUST(memory);
    return memory;
}

/* ---- Whole paths ---- */

static void full(const char *name, const WCHAR *wide, DWORD room)
{
    char *path = memory_of(room + 1), *part = NULL, *plain;
    WCHAR *wide_path = memory_of((room + 1) * sizeof *wide_path), *wide_part = NULL;
    DWORD length = GetFullPathNameA(name, room, path, &part);

    MUST(!length || length >= room || (strlen(path) == length && (!part || *part)));
    if (room && length < room && part)
        MUST(part >= path && part <= path + length);
    length = GetFullPathNameW(wide, room, wide_path, &wide_part);
    MUST(!length || length >= room || win__wide_length(wide_path) == length);
    free(wide_path);
    free(path);
    plain = win__full_path(name);
    MUST(!plain || (plain[0] == '/' && !strstr(plain, "//")));
    free(plain);
}

/* ---- Parts of paths, in buffers of the size that these calls count on ---- */

static void parts(const char *text, const char *more)
{
    char path[MAX_PATH], joined[MAX_PATH];

    MUST(PathFindFileNameA(text) <= text + strlen(text));
    MUST(PathFindExtensionA(text) <= text + strlen(text));
    PathIsRelativeA(text);
    snprintf(path, sizeof path, "%s", text);
    PathAddBackslashA(path);
    PathAppendA(path, more);
    if (PathCombineA(joined, text, more))
        MUST(strlen(joined) < MAX_PATH);
    PathRemoveExtensionA(path);
    PathStripPathA(path);
    PathRemoveFileSpecA(path);
    MUST(strlen(path) < MAX_PATH);
}

static void wide_parts(const WCHAR *text, const WCHAR *more)
{
    WCHAR path[MAX_PATH] = {0}, joined[MAX_PATH];
    SIZE_T length = win__wide_length(text);

    MUST(PathFindFileNameW(text) <= text + length);
    MUST(PathFindExtensionW(text) <= text + length);
    PathIsRelativeW(text);
    memcpy(path, text, (length < MAX_PATH - 1 ? length : MAX_PATH - 1) * sizeof *path);
    PathAddBackslashW(path);
    PathAppendW(path, more);
    if (PathCombineW(joined, text, more))
        MUST(win__wide_length(joined) < MAX_PATH);
    PathRemoveExtensionW(path);
    PathStripPathW(path);
    PathRemoveFileSpecW(path);
    MUST(win__wide_length(path) < MAX_PATH);
}

/* ---- Names ---- */

static void names(const char *name, const char *other)
{
    struct file_pattern *pattern = win__pattern(name, *other & 1);
    struct sockaddr_un address;
    char *key;

    MUST(pattern);
    win__matches(pattern, other);
    win__pattern_free(pattern);
    if (!win__has_wildcards(name)) { /* a name is a pattern that matches itself */
        pattern = win__pattern(name, false);
        MUST(pattern && win__matches(pattern, name));
        win__pattern_free(pattern);
    }
    win__dos_device(name);
    key = win__pipe_key(name);
    if (key)
        MUST(win__pipe_address(key, &address) <= sizeof address);
    free(key);
}

/* ---- Command lines ---- */

/* Puts the arguments of a line together again with quotes. The new line has the same arguments. */
static void lines(const char *line, const WCHAR *wide)
{
    char **arguments = win__arguments(line);
    size_t bytes = 0;
    int count = 0;
    WCHAR **wide_arguments;

    MUST(arguments);
    for (char **at = arguments; *at; at++)
        bytes += strlen(*at);
    MUST(bytes <= strlen(line));
    free(arguments);
    wide_arguments = CommandLineToArgvW(wide, &count);
    MUST(wide_arguments && count >= 1 && !wide_arguments[count]);
    bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += win__wide_length(wide_arguments[i]);
    MUST(!*wide || bytes <= win__wide_length(wide));
    LocalFree(wide_arguments);
}

static void expand(const char *text, const WCHAR *wide, DWORD room)
{
    char *to = memory_of(room + 1);
    WCHAR *wide_to = memory_of((room + 1) * sizeof *wide_to);
    DWORD length = ExpandEnvironmentStringsA(text, to, room);

    MUST(length && (length > room || strlen(to) + 1 == length));
    length = ExpandEnvironmentStringsW(wide, wide_to, room);
    MUST(length && (length > room || win__wide_length(wide_to) + 1 == length));
    free(wide_to);
    free(to);
}

/* The strings of a block end with the second zero in turn. */
static void block_of_strings(struct input input)
{
    size_t bytes = left(&input);
    char *block = memory_of(bytes + 2), **strings;

    memcpy(block, input.at, bytes);
    block[bytes] = block[bytes + 1] = 0;
    strings = win__environment(block);
    MUST(strings);
    free(strings);
    free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};
    DWORD room = (DWORD)(take(&input, 2) % PATH_ROOM);
    size_t first = (size_t)take(&input, 1);
    char *text, *other;

    if (size > MOST_TEXT)
        return 0;
    block_of_strings(input);
    text = take_text(&input, first);
    other = take_text(&input, MOST_TEXT);
    full(text, (const WCHAR *)(const void *)text, room);
    parts(text, other);
    wide_parts((const WCHAR *)(const void *)text, (const WCHAR *)(const void *)other);
    names(text, other);
    lines(other, (const WCHAR *)(const void *)other);
    expand(other, (const WCHAR *)(const void *)other, room);
    free(other);
    free(text);
    return 0;
}
