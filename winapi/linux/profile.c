/* SPDX-License-Identifier: MIT
 *
 * profile.c - .ini files: sections in brackets, and lines with a key and its value.
 *
 * Each call reads the whole file. A call that writes makes a new file and renames it over the old
 * one, so a reader sees either the old or the new one. In one process only one call writes at a
 * time.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/error.h"
#include "winapi/linux/file_path.h"

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

/* A piece of the file's text. */
struct span {
    const char *at, *end;
};

/* The whole file with a zero, in malloc's memory. A file that does not exist is empty. */
static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t length = 0, room = 4096;
    for (;;) {
        char *larger = realloc(text, room + 1);
        if (!larger) {
            free(text);
            text = NULL;
            break;
        }
        text = larger;
        length += file ? fread(text + length, 1, room - length, file) : 0;
        text[length] = 0;
        if (length < room)
            break;
        room *= 2;
    }
    if (file)
        fclose(file);
    return text;
}

static struct span trimmed(struct span span)
{
    while (span.at < span.end && strchr(" \t\r\n", *span.at))
        span.at++;
    while (span.end > span.at && strchr(" \t\r\n", span.end[-1]))
        span.end--;
    return span;
}

static bool is(struct span span, const char *word)
{
    struct span wanted = trimmed((struct span){word, word + strlen(word)});
    size_t length = (size_t)(wanted.end - wanted.at);
    return (size_t)(span.end - span.at) == length && !strncasecmp(span.at, wanted.at, length);
}

/* The next line from *at on, with its end; empty at the end of the text. */
static struct span line_at(const char **at)
{
    const char *end = strchr(*at, '\n');
    struct span line = {*at, end ? end + 1 : *at + strlen(*at)};
    *at = line.end;
    return line;
}

/* Whether the line is a heading; then *name is the text between its brackets. */
static bool is_heading(struct span line, struct span *name)
{
    line = trimmed(line);
    const char *end = line.at < line.end && *line.at == '['
                          ? memchr(line.at, ']', (size_t)(line.end - line.at))
                          : NULL;
    if (end)
        *name = trimmed((struct span){line.at + 1, end});
    return end != NULL;
}

static bool is_setting(struct span line, struct span *key, struct span *value)
{
    line = trimmed(line);
    const char *equals = memchr(line.at, '=', (size_t)(line.end - line.at));
    if (line.at == line.end || *line.at == ';' || !equals)
        return false;
    *key = trimmed((struct span){line.at, equals});
    *value = trimmed((struct span){equals + 1, line.end});
    return true;
}

/* The lines of a section, without its heading. False: there is no such section. */
static bool find_section(const char *text, const char *section, struct span *lines)
{
    struct span name;
    bool inside = false;
    for (const char *at = text; *at;) {
        struct span line = line_at(&at);
        if (is_heading(line, &name)) {
            if (inside)
                break;
            inside = is(name, section);
            *lines = (struct span){at, at};
        } else if (inside) {
            lines->end = at;
        }
    }
    return inside;
}

static bool find_key(struct span lines, const char *key, struct span *line, struct span *value)
{
    struct span name;
    for (const char *at = lines.at; at < lines.end;) {
        *line = line_at(&at);
        if (is_setting(*line, &name, value) && is(name, key))
            return true;
    }
    return false;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Names one after the other, each with a zero, and one more zero. A list that is too long is
 * cut. */
struct list {
    char *to;
    DWORD size, length;
    bool cut;
};

static void add_name(struct list *list, struct span name)
{
    DWORD length = (DWORD)(name.end - name.at);
    if (list->cut || length + 2 > list->size - list->length) {
        list->cut = true;
        return;
    }
    memcpy(list->to + list->length, name.at, length);
    list->length += length;
    list->to[list->length++] = 0;
}

static DWORD list_names(const char *text, const char *section, char *to, DWORD size)
{
    struct list list = {to, size, 0, size < 2};
    struct span name, value, lines = {text, text + strlen(text)};
    if (!section || find_section(text, section, &lines))
        for (const char *at = lines.at; at < lines.end;) {
            struct span line = line_at(&at);
            if (section ? is_setting(line, &name, &value) : is_heading(line, &name))
                add_name(&list, name);
        }
    for (DWORD i = list.length; i < size && i < list.length + 2; i++)
        to[i] = 0;
    return list.cut ? (size < 2 ? 0 : size - 2) : list.length;
}

/* Copies a value, without quotes around it. A value that is too long is cut. */
static DWORD give_value(struct span value, char *to, DWORD size)
{
    bool quoted = value.end - value.at >= 2 && value.at[0] == value.end[-1] &&
                  (*value.at == '"' || *value.at == '\'');
    if (quoted) {
        value.at++;
        value.end--;
    }
    size_t length = (size_t)(value.end - value.at);
    if (!size)
        return 0;
    if (length >= size)
        length = size - 1;
    memcpy(to, value.at, length);
    to[length] = 0;
    return (DWORD)length;
}

INT WINAPI GetPrivateProfileStringA(LPCSTR lpAppName, LPCSTR lpKeyName, LPCSTR lpDefault,
                                    LPSTR lpReturnedString, DWORD nSize, LPCSTR lpFileName)
{
    char *path = lpFileName ? win__path(lpFileName) : NULL;
    char *text = path ? read_whole(path) : strdup("");
    struct span lines, line, value;
    DWORD length = 0;
    if (!text || !lpReturnedString) {
        win__fail(text ? ERROR_INVALID_PARAMETER : ERROR_NOT_ENOUGH_MEMORY);
    } else if (!lpAppName || !lpKeyName) {
        length = list_names(text, lpAppName, lpReturnedString, nSize);
    } else if (find_section(text, lpAppName, &lines) && find_key(lines, lpKeyName, &line, &value)) {
        length = give_value(value, lpReturnedString, nSize);
    } else {
        const char *other = lpDefault ? lpDefault : "";
        struct span whole = {other, other + strlen(other)};
        while (whole.end > whole.at && whole.end[-1] == ' ')
            whole.end--;
        length = give_value(whole, lpReturnedString, nSize);
    }
    free(text);
    free(path);
    return (INT)length;
}

/* Reads decimal digits with a sign, or hexadecimal ones behind 0x. */
UINT WINAPI GetPrivateProfileIntA(LPCSTR lpAppName, LPCSTR lpKeyName, INT nDefault,
                                  LPCSTR lpFileName)
{
    char text[64];
    if (!lpAppName || !lpKeyName)
        return (UINT)nDefault;
    if (!GetPrivateProfileStringA(lpAppName, lpKeyName, "", text, sizeof text, lpFileName))
        return (UINT)nDefault;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    return (UINT)strtoll(text, NULL, hexadecimal ? 16 : 10);
}

/* There is no win.ini, so the call gives the default. */
INT WINAPI GetProfileStringA(LPCSTR lpAppName, LPCSTR lpKeyName, LPCSTR lpDefault,
                             LPSTR lpReturnedString, DWORD nSize)
{
    return GetPrivateProfileStringA(lpAppName, lpKeyName, lpDefault, lpReturnedString, nSize, NULL);
}

UINT WINAPI GetProfileIntA(LPCSTR lpAppName, LPCSTR lpKeyName, INT nDefault)
{
    (void)lpAppName;
    (void)lpKeyName;
    return (UINT)nDefault;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static bool write_changed(FILE *file, const char *text, const char *section, const char *key,
                          const char *value)
{
    struct span lines, line, old;
    const char *end = text + strlen(text);
    bool there = find_section(text, section, &lines);
    if (!there) {
        bool open_line = end > text && end[-1] != '\n';
        fprintf(file, "%s%s", text, open_line ? "\n" : "");
        if (key && value)
            fprintf(file, "[%s]\n%s=%s\n", section, key, value);
        return !ferror(file);
    }
    const char *before = lines.end, *behind = lines.end; /* the text between them is replaced */
    if (!key) {
        before = lines.at;
        while (before > text && *--before != '[')
            ;
        while (before > text && before[-1] != '\n')
            before--;
    } else if (find_key(lines, key, &line, &old)) {
        before = line.at;
        behind = line.end;
    } else {
        while (before > lines.at && strchr("\r\n", before[-1]) && before - 2 >= lines.at &&
               before[-2] == '\n')
            before = behind = before - 1; /* a new setting comes before blank lines */
    }
    fwrite(text, 1, (size_t)(before - text), file);
    if (key && value)
        fprintf(file, "%s%s=%s\n", before > text && before[-1] != '\n' ? "\n" : "", key, value);
    fwrite(behind, 1, (size_t)(end - behind), file);
    return !ferror(file);
}

static DWORD replace_file(const char *path, const char *text, const char *section, const char *key,
                          const char *value)
{
    size_t length = strlen(path) + 32;
    char *fresh = malloc(length);
    if (!fresh)
        return ERROR_NOT_ENOUGH_MEMORY;
    snprintf(fresh, length, "%s.%d.new", path, getpid());
    unlink(fresh); /* left by a process with the same number, which ended while it wrote */
    struct stat status;
    bool there = stat(path, &status) == 0;
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    DWORD error = file ? ERROR_SUCCESS : win__error_of(errno);
    if (file) {
        bool written = (!there || !fchmod(fd, status.st_mode & 07777)) &&
                       write_changed(file, text, section, key, value);
        if (fclose(file) || !written || rename(fresh, path))
            error = win__error_of(errno);
    } else if (fd >= 0) {
        close(fd);
    }
    if (error && fd >= 0)
        unlink(fresh);
    free(fresh);
    return error;
}

/* Without a key the section is removed, without a value the setting. Without a section Windows
 * writes out its cache; here there is none. */
BOOL WINAPI WritePrivateProfileStringA(LPCSTR lpAppName, LPCSTR lpKeyName, LPCSTR lpString,
                                       LPCSTR lpFileName)
{
    if (!lpFileName)
        return win__fail(ERROR_ACCESS_DENIED);
    if (!lpAppName)
        return TRUE;
    char *path = win__path(lpFileName);
    if (!path)
        return FALSE;
    pthread_mutex_lock(&writing);
    char *text = read_whole(path);
    DWORD error =
        text ? replace_file(path, text, lpAppName, lpKeyName, lpString) : ERROR_NOT_ENOUGH_MEMORY;
    pthread_mutex_unlock(&writing);
    free(text);
    free(path);
    return error ? win__fail(error) : TRUE;
}
