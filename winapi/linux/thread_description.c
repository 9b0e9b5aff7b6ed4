/* SPDX-License-Identifier: MIT
 *
 * thread_description.c - SetThreadDescription and GetThreadDescription.
 *
 * The thread's object has the whole description. Linux gets its first 15 bytes as the thread's
 * name, which gdb, ps and top show; for a worker or scheduler that is its home's name.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/linux/dispatch/thread_object.h"
#include "platform/trace/trace.h"
#include "winapi/linux/surface.h"
#include "winapi/linux/text.h"

static void name_for_the_system(const struct plat_thread *thread, const char *text, size_t length)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)thread->tid);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t written = write(fd, text, length);
    (void)written; /* the name is only advice */
    close(fd);
}

HRESULT WINAPI SetThreadDescription(HANDLE hThread, PCWSTR lpThreadDescription)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return HRESULT_FROM_WIN32(ERROR_INVALID_HANDLE);
    SIZE_T units = lpThreadDescription ? win__wide_length(lpThreadDescription) : 0, length = 0;
    uint16_t *own = calloc(units + 1, sizeof *own);
    char *text = units ? win__narrow(lpThreadDescription, units, &length) : NULL;
    HRESULT result = !own || (units && !text) ? E_OUTOFMEMORY : S_OK;
    if (result == S_OK) {
        memcpy(own, lpThreadDescription ? lpThreadDescription : own, units * sizeof *own);
        if (text)
            name_for_the_system(thread, text, length);
        plat_lock(&thread->own_lock);
        uint16_t *before = thread->description;
        char *name_before = thread->name;
        thread->description = own;
        thread->name = text;
        trace_name(thread->context, text); /* under the lock: see thread_tell_name */
        plat_unlock(&thread->own_lock);
        own = before;
        text = name_before;
    }
    free(own);
    free(text);
    object_drop(&thread->object);
    return result;
}

/* The copy is made under the lock, but its memory is allocated before, so the length may have
 * changed. */
HRESULT WINAPI GetThreadDescription(HANDLE hThread, PWSTR *ppszThreadDescription)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return HRESULT_FROM_WIN32(ERROR_INVALID_HANDLE);
    HRESULT result = E_OUTOFMEMORY;
    for (SIZE_T room = 64;; room *= 2) {
        PWSTR copy = LocalAlloc(LMEM_FIXED, room * sizeof *copy);
        if (!copy)
            break;
        SIZE_T units = 0;
        plat_lock(&thread->own_lock);
        for (const uint16_t *from = thread->description; from && from[units]; units++)
            if (units < room)
                copy[units] = from[units];
        plat_unlock(&thread->own_lock);
        if (units < room) {
            copy[units] = 0;
            *ppszThreadDescription = copy;
            result = S_OK;
            break;
        }
        LocalFree(copy);
    }
    object_drop(&thread->object);
    return result;
}
