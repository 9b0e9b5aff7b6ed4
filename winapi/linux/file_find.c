/* SPDX-License-Identifier: MIT
 *
 * file_find.c - FindFirstFile, FindNextFile, FindClose.
 *
 * The first call reads the folder's names that match, and sorts them as NTFS does: . and .. first,
 * then by name. The later calls look each name up, and pass over a name that is gone by then. A
 * search is an object. Its list does not change once the program has the handle, and the next place
 * is atomic, so threads that share a handle get each name once. No thread may wait for a search.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "winapi/linux/error.h"
#include "winapi/linux/file_facts.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/path_steps.h"
#include "winapi/linux/file_pattern.h"
#include "winapi/linux/text.h"

struct search {
    struct object object;
    char *folder; /* its absolute path */
    char **names;
    size_t count;
    _Atomic size_t next;
};

static void destroy(struct object *object)
{
    struct search *search = (struct search *)object;
    for (size_t i = 0; i < search->count; i++)
        free(search->names[i]);
    free(search->names);
    free(search->folder);
}

/* ---- The names of a folder ----------------------------------------------------------------- */

static bool is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

static int by_name(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    if (is_dots(a) != is_dots(b))
        return is_dots(a) ? -1 : 1;
    int order = strcasecmp(a, b);
    return order ? order : strcmp(a, b);
}

static bool add_name(struct search *search, const char *name)
{
    enum { STEP = 64 };
    if (search->count % STEP == 0) {
        char **more = realloc(search->names, (search->count + STEP) * sizeof *more);
        if (!more)
            return false;
        search->names = more;
    }
    char *copy = strdup(name);
    if (copy)
        search->names[search->count++] = copy;
    return copy;
}

/* Reads the names that match. 0 or a Win32 error. */
static DWORD read_names(struct search *search, const struct file_pattern *pattern)
{
    DIR *folder = opendir(search->folder);
    if (!folder)
        return errno == ENOENT ? ERROR_PATH_NOT_FOUND : win__error_of(errno);
    bool is_root = !strcmp(search->folder, "/"), fits = true;
    struct dirent *entry;
    errno = 0;
    while (fits && (entry = readdir(folder)))
        if (!(is_root && is_dots(entry->d_name)) && win__matches(pattern, entry->d_name))
            fits = add_name(search, entry->d_name);
    DWORD error = fits ? win__error_of(errno) : ERROR_NOT_ENOUGH_MEMORY;
    closedir(folder);
    if (search->count)
        qsort(search->names, search->count, sizeof *search->names, by_name);
    return error;
}

/* ---- Results ------------------------------------------------------------------------------- */

static void describe(const char *name, const struct file_facts *facts, WIN32_FIND_DATAA *data)
{
    bool folder = facts->attributes & FILE_ATTRIBUTE_DIRECTORY;
    memset(data, 0, sizeof *data);
    data->dwFileAttributes = facts->attributes;
    data->ftCreationTime = facts->created;
    data->ftLastAccessTime = facts->accessed;
    data->ftLastWriteTime = facts->written;
    data->nFileSizeHigh = folder ? 0 : (DWORD)(facts->status.stx_size >> 32);
    data->nFileSizeLow = folder ? 0 : (DWORD)facts->status.stx_size;
    data->dwReserved0 = facts->is_link ? IO_REPARSE_TAG_SYMLINK : 0;
    snprintf(data->cFileName, sizeof data->cFileName, "%s", name);
}

/* The W form: the fields before the names are the same in both. */
static void widen(const WIN32_FIND_DATAA *from, WIN32_FIND_DATAW *data)
{
    memset(data, 0, sizeof *data);
    memcpy(data, from, offsetof(WIN32_FIND_DATAA, cFileName));
    win__give_wide(from->cFileName, data->cFileName, MAX_PATH);
}

/* The next name that still exists; else ERROR_NO_MORE_FILES. */
static DWORD next(struct search *search, WIN32_FIND_DATAA *data)
{
    for (;;) {
        struct file_facts facts;
        char *path;
        size_t at = atomic_fetch_add(&search->next, 1);
        if (at >= search->count) {
            atomic_store(&search->next, search->count);
            return ERROR_NO_MORE_FILES;
        }
        if (asprintf(&path, "%s/%s", search->folder, search->names[at]) < 0)
            return ERROR_NOT_ENOUGH_MEMORY;
        bool there = win__facts_at(path, &facts);
        free(path);
        if (!there)
            continue;
        describe(search->names[at], &facts, data);
        return ERROR_SUCCESS;
    }
}

/* ---- Searches ------------------------------------------------------------------------------ */

/* Begins a search: `path` is "folder/pattern". Stores the folder and the names that match in
 * `search`. 0 or a Win32 error. */
static DWORD begin(struct search *search, const char *path, bool case_matters)
{
    const char *last = win__last_step(path);
    char *folder = last == path ? strdup(".") : strndup(path, (size_t)(last - path));
    if (!folder)
        return ERROR_NOT_ENOUGH_MEMORY;
    search->folder = win__full_path(folder);
    DWORD error = search->folder               ? ERROR_SUCCESS
                  : win__has_wildcards(folder) ? ERROR_INVALID_NAME
                                               : GetLastError();
    free(folder);
    if (error)
        return error;
    if (!win__has_wildcards(last)) /* looked up as in any other call */
        return !*last                   ? ERROR_FILE_NOT_FOUND
               : add_name(search, last) ? ERROR_SUCCESS
                                        : ERROR_NOT_ENOUGH_MEMORY;
    struct file_pattern *pattern = win__pattern(last, case_matters);
    error = pattern ? read_names(search, pattern) : ERROR_NOT_ENOUGH_MEMORY;
    win__pattern_free(pattern);
    return error;
}

static DWORD start(struct search *search, LPCSTR name, bool case_matters, WIN32_FIND_DATAA *data)
{
    char *path = win__plain_path(name);
    if (!path)
        return GetLastError();
    DWORD error = begin(search, path, case_matters);
    if (!error)
        error = next(search, data);
    if (error == ERROR_NO_MORE_FILES) {
        errno = ENOENT;
        error = win__has_wildcards(path) ? ERROR_FILE_NOT_FOUND : win__open_error(path);
    }
    free(path);
    return error;
}

static HANDLE find(LPCSTR name, bool case_matters, WIN32_FIND_DATAA *data)
{
    void *handle = INVALID_HANDLE_VALUE;
    struct search *search = object_create(OBJECT_SEARCH, sizeof *search);
    if (!search) {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return INVALID_HANDLE_VALUE;
    }
    search->folder = NULL;
    search->names = NULL;
    search->count = 0;
    search->next = 0;
    search->object.destroy = destroy;
    search->object.signal = 1; /* a wait for it fails at once */
    DWORD error = start(search, name, case_matters, data);
    if (!error)
        error = (DWORD)handle_create(&search->object, &handle);
    object_drop(&search->object);
    if (!error)
        return handle;
    win__fail(error);
    return INVALID_HANDLE_VALUE;
}

/* 0, or the error of a search that cannot be. */
static DWORD refusal(FINDEX_INFO_LEVELS level, const void *data, FINDEX_SEARCH_OPS operation,
                     const void *filter)
{
    if (level >= FindExInfoMaxInfoLevel || !data || filter)
        return ERROR_INVALID_PARAMETER;
    return operation == FindExSearchNameMatch || operation == FindExSearchLimitToDirectories
               ? ERROR_SUCCESS
           : operation == FindExSearchLimitToDevices ? ERROR_NOT_SUPPORTED
                                                     : ERROR_INVALID_PARAMETER;
}

HANDLE WINAPI FindFirstFileExA(LPCSTR lpFileName, FINDEX_INFO_LEVELS fInfoLevelId,
                               LPVOID lpFindFileData, FINDEX_SEARCH_OPS fSearchOp,
                               LPVOID lpSearchFilter, DWORD dwAdditionalFlags)
{
    DWORD error = refusal(fInfoLevelId, lpFindFileData, fSearchOp, lpSearchFilter);
    if (error) {
        win__fail(error);
        return INVALID_HANDLE_VALUE;
    }
    return find(lpFileName, dwAdditionalFlags & FIND_FIRST_EX_CASE_SENSITIVE, lpFindFileData);
}

HANDLE WINAPI FindFirstFileExW(LPCWSTR lpFileName, FINDEX_INFO_LEVELS fInfoLevelId,
                               LPVOID lpFindFileData, FINDEX_SEARCH_OPS fSearchOp,
                               LPVOID lpSearchFilter, DWORD dwAdditionalFlags)
{
    WIN32_FIND_DATAA data;
    char *name = win__name(lpFileName);
    HANDLE handle = INVALID_HANDLE_VALUE;
    if (name)
        handle = FindFirstFileExA(name, fInfoLevelId, lpFindFileData ? &data : NULL, fSearchOp,
                                  lpSearchFilter, dwAdditionalFlags);
    free(name);
    if (handle != INVALID_HANDLE_VALUE)
        widen(&data, lpFindFileData);
    return handle;
}

HANDLE WINAPI FindFirstFileA(LPCSTR lpFileName, WIN32_FIND_DATAA *lpFindFileData)
{
    return FindFirstFileExA(lpFileName, FindExInfoStandard, lpFindFileData, FindExSearchNameMatch,
                            NULL, 0);
}

HANDLE WINAPI FindFirstFileW(LPCWSTR lpFileName, WIN32_FIND_DATAW *lpFindFileData)
{
    return FindFirstFileExW(lpFileName, FindExInfoStandard, lpFindFileData, FindExSearchNameMatch,
                            NULL, 0);
}

/* The search of a handle, with a reference. NULL: ERROR_INVALID_HANDLE. */
static struct search *search_of(HANDLE handle)
{
    struct object *object = win__object(handle);
    if (object && object->type != OBJECT_SEARCH) {
        object_drop(object);
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    return (struct search *)object;
}

BOOL WINAPI FindNextFileA(HANDLE hFindFile, WIN32_FIND_DATAA *lpFindFileData)
{
    if (!lpFindFileData)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct search *search = search_of(hFindFile);
    if (!search)
        return FALSE;
    DWORD error = next(search, lpFindFileData);
    object_drop(&search->object);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI FindNextFileW(HANDLE hFindFile, WIN32_FIND_DATAW *lpFindFileData)
{
    WIN32_FIND_DATAA data;
    if (!FindNextFileA(hFindFile, lpFindFileData ? &data : NULL))
        return FALSE;
    widen(&data, lpFindFileData);
    return TRUE;
}

BOOL WINAPI FindClose(HANDLE hFindFile)
{
    struct search *search = search_of(hFindFile);
    if (!search)
        return FALSE;
    object_drop(&search->object);
    return win__result(handle_close(hFindFile));
}
