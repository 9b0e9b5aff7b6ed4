/* SPDX-License-Identifier: MIT
 *
 * shell_path.c - shlwapi's calls for paths as texts. Slashes of both kinds divide a path. A slash
 * that is added is a forward one, unless the path has only backslashes. Buffers have MAX_PATH
 * characters.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/drive.h"
#include "winapi/linux/text.h"

#pragma GCC visibility push(default) /* umsshim.map has the last word */
#include <shlwapi.h>
#pragma GCC visibility pop

/* ---- Where parts begin, in text of either width ---------------------------------------------- */

static unsigned unit(const void *text, bool wide, size_t at)
{
    return wide ? ((const WCHAR *)text)[at] : ((const unsigned char *)text)[at];
}

static bool is_slash(unsigned value)
{
    return value == '/' || value == '\\';
}

static size_t length_of(const void *path, bool wide)
{
    size_t length = 0;
    while (unit(path, wide, length))
        length++;
    return length;
}

/* Where the last part begins. A slash at its end belongs to it. */
static size_t name_at(const void *path, bool wide)
{
    size_t name = 0;
    for (size_t i = 0; unit(path, wide, i); i++) {
        unsigned next = unit(path, wide, i + 1);
        bool divides = is_slash(unit(path, wide, i)) || unit(path, wide, i) == ':';
        if (divides && next && !is_slash(next))
            name = i + 1;
    }
    return name;
}

/* Where the extension begins; the end of the path if there is none. */
static size_t extension_at(const void *path, bool wide)
{
    size_t i = 0, point = SIZE_MAX;
    for (unsigned value; (value = unit(path, wide, i)) != 0; i++)
        if (is_slash(value) || value == ' ')
            point = SIZE_MAX;
        else if (value == '.')
            point = i;
    return point == SIZE_MAX ? i : point;
}

/* Where the folder ends. The root stays part of it. */
static size_t folder_end(const void *path, bool wide)
{
    bool drive = unit(path, wide, 0) && unit(path, wide, 1) == ':';
    size_t root = drive ? 2 : 0, end = root;
    for (size_t i = 0; unit(path, wide, i); i++)
        if (is_slash(unit(path, wide, i)))
            end = i == root ? i + 1 : i;
    return end;
}

static bool is_relative(const void *path, bool wide)
{
    return !path || !unit(path, wide, 0) ||
           (!is_slash(unit(path, wide, 0)) && unit(path, wide, 1) != ':');
}

LPSTR WINAPI PathFindFileNameA(LPCSTR path)
{
    return path ? (LPSTR)path + name_at(path, false) : NULL;
}

LPWSTR WINAPI PathFindFileNameW(LPCWSTR path)
{
    return path ? (LPWSTR)path + name_at(path, true) : NULL;
}

LPSTR WINAPI PathFindExtensionA(LPCSTR path)
{
    return path ? (LPSTR)path + extension_at(path, false) : NULL;
}

LPWSTR WINAPI PathFindExtensionW(LPCWSTR path)
{
    return path ? (LPWSTR)path + extension_at(path, true) : NULL;
}

BOOL WINAPI PathIsRelativeA(LPCSTR path)
{
    return is_relative(path, false);
}

BOOL WINAPI PathIsRelativeW(LPCWSTR path)
{
    return is_relative(path, true);
}

/* ---- Shorter paths --------------------------------------------------------------------------- */

BOOL WINAPI PathRemoveFileSpecA(LPSTR path)
{
    size_t end = path ? folder_end(path, false) : 0;
    if (!path || !path[end])
        return FALSE;
    path[end] = 0;
    return TRUE;
}

BOOL WINAPI PathRemoveFileSpecW(LPWSTR path)
{
    size_t end = path ? folder_end(path, true) : 0;
    if (!path || !path[end])
        return FALSE;
    path[end] = 0;
    return TRUE;
}

VOID WINAPI PathRemoveExtensionA(LPSTR path)
{
    if (path)
        path[extension_at(path, false)] = 0;
}

VOID WINAPI PathRemoveExtensionW(LPWSTR path)
{
    if (path)
        path[extension_at(path, true)] = 0;
}

VOID WINAPI PathStripPathA(LPSTR path)
{
    size_t name = path ? name_at(path, false) : 0;
    if (name)
        memmove(path, path + name, strlen(path + name) + 1);
}

VOID WINAPI PathStripPathW(LPWSTR path)
{
    size_t name = path ? name_at(path, true) : 0;
    if (name)
        memmove(path, path + name, (length_of(path + name, true) + 1) * sizeof *path);
}

/* ---- Longer paths ---------------------------------------------------------------------------- */

static char slash_of(const char *path)
{
    return strchr(path, '\\') && !strchr(path, '/') ? '\\' : '/';
}

/* Appends each step of `path`. A dot adds nothing, and two dots take the last step off, but no part
 * of the root: a slash, a drive with one, or nothing. */
static size_t walk(char *to, size_t length, size_t root, char slash, const char *path)
{
    while (*path) {
        size_t step = strcspn(path, "/\\");
        if (step == 2 && path[0] == '.' && path[1] == '.') {
            while (length > root && to[length - 1] != slash)
                length--;
            length -= length > root;
        } else if (step > 0 && !(step == 1 && *path == '.')) {
            if (length > root)
                to[length++] = slash;
            memcpy(to + length, path, step);
            length += step;
        }
        path += step;
        path += strspn(path, "/\\");
    }
    return length;
}

LPSTR WINAPI PathCombineA(LPSTR to, LPCSTR folder, LPCSTR name)
{
    if (!to)
        return NULL;
    if (!folder && !name) {
        *to = 0;
        return NULL;
    }
    if (!folder)
        folder = "";
    if (!name)
        name = "";
    const char *drive = win__letter_of(name) ? name : win__letter_of(folder) ? folder : NULL;
    if (is_slash((unsigned char)*name) || drive == name)
        folder = "";
    char *whole = malloc(strlen(folder) + strlen(name) + 6);
    if (!whole) {
        *to = 0;
        return NULL;
    }
    const char *first = *folder ? folder : name;
    size_t root = drive ? 3 : is_slash((unsigned char)*first);
    char slash =
        drive && !strchr(drive, '/') ? '\\' : slash_of(strpbrk(folder, "/\\") ? folder : name);
    if (drive)
        memcpy(whole, drive, 2);
    if (root)
        whole[root - 1] = slash;
    size_t length = walk(whole, root, root, slash, folder + (drive == folder ? 2 : 0));
    length = walk(whole, length, root, slash, name + (drive == name ? 2 : 0));
    whole[length] = 0;
    bool fits = length < MAX_PATH;
    memcpy(to, whole, fits ? length + 1 : 0);
    to[fits ? length : 0] = 0;
    free(whole);
    return fits ? to : NULL;
}

BOOL WINAPI PathAppendA(LPSTR path, LPCSTR more)
{
    if (!path || !more)
        return FALSE;
    return PathCombineA(path, path, more + strspn(more, "/\\")) != NULL;
}

LPSTR WINAPI PathAddBackslashA(LPSTR path)
{
    size_t length = path ? strlen(path) : MAX_PATH;
    if (length >= MAX_PATH - 1)
        return NULL;
    if (length && !is_slash((unsigned char)path[length - 1])) {
        path[length] = slash_of(path);
        path[++length] = 0;
    }
    return path + length;
}

LPWSTR WINAPI PathCombineW(LPWSTR to, LPCWSTR folder, LPCWSTR name)
{
    char made[MAX_PATH] = "";
    if (!to)
        return NULL;
    char *narrow_folder = folder ? win__narrow_string(folder) : NULL;
    char *narrow_name = name ? win__narrow_string(name) : NULL;
    bool there = (!folder || narrow_folder) && (!name || narrow_name);
    bool done = there && PathCombineA(made, narrow_folder, narrow_name);
    free(narrow_folder);
    free(narrow_name);
    *to = 0;
    return done && (!*made || win__give_wide(made, to, MAX_PATH)) ? to : NULL;
}

BOOL WINAPI PathAppendW(LPWSTR path, LPCWSTR more)
{
    if (!path || !more)
        return FALSE;
    while (is_slash(*more))
        more++;
    return PathCombineW(path, path, more) != NULL;
}

LPWSTR WINAPI PathAddBackslashW(LPWSTR path)
{
    size_t length = path ? length_of(path, true) : MAX_PATH;
    if (length >= MAX_PATH - 1)
        return NULL;
    if (length && !is_slash(path[length - 1])) {
        bool forward = false, backward = false;
        for (size_t i = 0; i < length; i++) {
            forward |= path[i] == '/';
            backward |= path[i] == '\\';
        }
        path[length] = backward && !forward ? '\\' : '/';
        path[++length] = 0;
    }
    return path + length;
}

/* ---- Files ----------------------------------------------------------------------------------- */

BOOL WINAPI PathFileExistsA(LPCSTR path)
{
    return path && GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES;
}

BOOL WINAPI PathFileExistsW(LPCWSTR path)
{
    return path && GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
}

BOOL WINAPI PathIsDirectoryA(LPCSTR path)
{
    DWORD attributes = path ? GetFileAttributesA(path) : INVALID_FILE_ATTRIBUTES;
    return attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY;
}

BOOL WINAPI PathIsDirectoryW(LPCWSTR path)
{
    DWORD attributes = path ? GetFileAttributesW(path) : INVALID_FILE_ATTRIBUTES;
    return attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY;
}
