/* SPDX-License-Identifier: MIT
 *
 * drive.c - see drive.h.
 */
#include "winapi/linux/drive.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/path_steps.h"

enum { LETTERS = 26 };

/* The drives' folders without a slash at the end; that of the root is empty. NULL: no drive. */
static char *folders[LETTERS];
static DWORD drives;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static char *refuse(DWORD error)
{
    win__fail(error);
    return NULL;
}

/* ---- The drives ------------------------------------------------------------------------------ */

/* Writes PROGRAM.drives/x: of this program; the drive's letter is the last but one. False: there is
 * no such path. */
static bool name_folder(char *to, size_t size)
{
    static const char ending[] = ".drives/x:";
    ssize_t length = getauxval(AT_SECURE) ? -1 : readlink("/proc/self/exe", to, size);
    if (length <= 0 || (size_t)length + sizeof ending > size)
        return false;
    memcpy(to + length, ending, sizeof ending);
    return true;
}

static void find_drives(void)
{
    char path[PATH_MAX];
    struct stat status;
    if (!name_folder(path, sizeof path))
        return;
    size_t letter = strlen(path) - 2;
    path[letter] = 0;
    if (stat(path, &status))
        return;
    for (int i = 0; i < LETTERS; i++) {
        strcpy(path + letter, "x:");
        path[letter] = (char)('a' + i);
        char *folder = realpath(path, NULL);
        if (folder && !stat(folder, &status) && S_ISDIR(status.st_mode)) {
            if (!folder[1])
                *folder = 0;
            folders[i] = folder;
            drives |= 1u << i;
        } else {
            free(folder);
        }
    }
}

DWORD win__drives(void)
{
    pthread_once(&once, find_drives);
    return drives;
}

static const char *folder_of(char letter)
{
    return win__drives() ? folders[letter - 'a'] : NULL;
}

/* ---- From a drive to the system's path ------------------------------------------------------- */

char win__letter_of(const char *name)
{
    char letter = (char)(name[0] | 0x20);
    return letter >= 'a' && letter <= 'z' && name[1] == ':' ? letter : 0;
}

static void tell_of(const char *name)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    char path[PATH_MAX];
    if (atomic_flag_test_and_set(&told))
        return;
    if (!name_folder(path, sizeof path))
        snprintf(path, sizeof path, "PROGRAM.drives/x:");
    path[strlen(path) - 2] = win__letter_of(name);
    plat_log(
        "\"%.200s\" is on a drive, and here is no such: paths are the system's "
        "(/home/me/file). Make a folder, or a link to one, %s, or give the program other paths",
        name, path);
}

/* The rest of `path`, from its slash on, if `path` is the folder or below it; else NULL. */
static const char *below(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    bool is = !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
    return is ? path + length : NULL;
}

char *win__drive_path(const char *name)
{
    const char *folder = folder_of(win__letter_of(name)), *rest = name + 2, *from = "";
    if (!folder) {
        tell_of(name);
        return refuse(ERROR_PATH_NOT_FOUND);
    }
    char *here = win__is_slash(*rest) ? NULL : getcwd(NULL, 0), *path;
    if (here && below(folder, here))
        from = below(folder, here);
    size_t length = strlen(folder);
    const char *slash = *rest || !*from ? "/" : ""; /* only a drive's root ends with one */
    if (asprintf(&path, "%s%s%s%s", folder, from, slash, rest) < 0)
        path = refuse(ERROR_NOT_ENOUGH_MEMORY);
    free(here);
    if (path) {
        win__forward(path + length);
        win__take_dots(path + length);
    }
    return path;
}

/* ---- And back -------------------------------------------------------------------------------- */

/* The letter of the deepest drive that has the path; 0: none. */
static char deepest(const char *path)
{
    char letter = 0;
    size_t longest = 0;
    for (int i = 0; i < LETTERS; i++)
        if (folders[i] && below(folders[i], path) && (!letter || strlen(folders[i]) > longest)) {
            letter = (char)('a' + i);
            longest = strlen(folders[i]);
        }
    return letter;
}

char win__current_drive(void)
{
    char *here = win__drives() ? getcwd(NULL, 0) : NULL;
    char letter = here ? deepest(here) : 0;
    free(here);
    return letter;
}

/* Whether the path has a step "..". Before such a step may be a symbolic link, and the text does
 * not show where the link leads. */
static bool goes_up(const char *path)
{
    for (const char *at = strstr(path, "/.."); at; at = strstr(at + 1, "/.."))
        if (!at[3] || at[3] == '/')
            return true;
    return false;
}

char *win__shown_path(char *path, char preferred)
{
    if (!path || !win__drives())
        return path;
    bool prefers = preferred && folder_of(preferred) && below(folder_of(preferred), path);
    char letter = prefers ? preferred : deepest(path), *shown = NULL;
    if (!letter)
        return path;
    const char *rest = below(folder_of(letter), path);
    if (goes_up(rest))
        return path;
    if (asprintf(&shown, "%c:%s", letter - 'a' + 'A', *rest ? rest : "/") < 0)
        shown = refuse(ERROR_NOT_ENOUGH_MEMORY);
    free(path);
    for (char *at = shown; at && *at; at++)
        if (*at == '/')
            *at = '\\';
    return shown;
}
