/* SPDX-License-Identifier: MIT
 *
 * child_arguments.c - see child_arguments.h.
 */
#include "winapi/linux/child_arguments.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "winapi/linux/file_path.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Copies the program's name. Quotes are left out; in a name they only protect blanks. */
static const char *put_name(const char *at, char **to)
{
    bool quoted = false;
    for (; *at && (quoted || !is_blank(*at)); at++)
        if (*at == '"')
            quoted = !quoted;
        else
            *(*to)++ = *at;
    return at;
}

/* Copies one argument. Of the backslashes before a quote, each pair becomes one; an odd one makes
 * the quote plain. Within quotes, two quotes are a plain one. */
static const char *put_argument(const char *at, char **to)
{
    bool quoted = false;
    while (*at && (quoted || !is_blank(*at))) {
        size_t backslashes = strspn(at, "\\");
        at += backslashes;
        bool before_quotes = *at == '"';
        for (size_t i = before_quotes ? backslashes / 2 : backslashes; i; i--)
            *(*to)++ = '\\';
        if (!before_quotes) {
            if (*at && (quoted || !is_blank(*at)))
                *(*to)++ = *at++;
            continue;
        }
        if (backslashes % 2) {
            *(*to)++ = '"';
        } else if (quoted && at[1] == '"') {
            *(*to)++ = '"';
            at++;
        } else {
            quoted = !quoted;
        }
        at++;
    }
    return at;
}

char **win__arguments(const char *line)
{
    size_t length = strlen(line), most = length / 2 + 3;
    char **arguments = malloc(most * sizeof *arguments + 2 * length + 2);
    if (!arguments)
        return NULL;
    char *to = (char *)(arguments + most);
    size_t count = 0;
    for (const char *at = line; *at || !count;) {
        arguments[count] = to;
        at = count ? put_argument(at, &to) : put_name(at, &to);
        *to++ = 0;
        count++;
        at += strspn(at, " \t");
    }
    arguments[count] = NULL;
    return arguments;
}

char **win__environment(const char *block)
{
    size_t count = 0;
    const char *end = block;
    for (; *end; end += strlen(end) + 1)
        count++;
    size_t bytes = (size_t)(end - block);
    char **strings = malloc((count + 1) * sizeof *strings + bytes);
    if (!strings)
        return NULL;
    char *at = memcpy(strings + count + 1, block, bytes);
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
        strings[i] = at;
    strings[count] = NULL;
    return strings;
}

/* ---- Programs -------------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* The path of a program: searched for, if the name has no folder. Takes over `name`. NULL: no such
 * file. */
static char *found(char *name)
{
    char path[4096], *full = NULL;
    if (strchr(name, '/') || strchr(name, '\\'))
        full = win__full_path(name);
    else if (SearchPathA(NULL, name, NULL, sizeof path, path, NULL) - 1 < sizeof path - 1)
        full = strdup(path);
    if (full && !is_file(full)) {
        free(full);
        full = NULL;
    }
    free(name);
    return full;
}

static char *found_piece(const char *name, size_t length)
{
    static const char exe[] = ".exe";
    size_t stem = length > 4 ? length - 4 : 0;
    char *copy = strndup(name, length), *path = copy ? found(copy) : NULL;
    if (path || !stem || strncasecmp(name + stem, exe, 4) != 0)
        return path;
    copy = strndup(name, stem);
    return copy ? found(copy) : NULL;
}

/* No program was found: the last error says that the folder is missing, or that the name is another
 * kind of file. */
static char *refuse(const char *name, size_t length)
{
    char *copy = strndup(name, length);
    DWORD attributes = copy ? GetFileAttributesA(copy) : INVALID_FILE_ATTRIBUTES;
    if (attributes != INVALID_FILE_ATTRIBUTES)
        win__fail(ERROR_ACCESS_DENIED);
    free(copy);
    return NULL;
}

char *win__program(const char *name)
{
    char *path = found_piece(name, strlen(name));
    return path ? path : refuse(name, strlen(name));
}

char *win__program_of(const char *line)
{
    line += strspn(line, " \t");
    if (*line == '"') {
        size_t length = strcspn(line + 1, "\"");
        char *path = found_piece(line + 1, length);
        return path ? path : refuse(line + 1, length);
    }
    size_t first = strcspn(line, " \t");
    for (size_t length = first; length;) {
        char *path = found_piece(line, length);
        if (path)
            return path;
        if (!line[length])
            break;
        length++;
        length += strcspn(line + length, " \t");
    }
    return refuse(line, first);
}
