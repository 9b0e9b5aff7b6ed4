/* SPDX-License-Identifier: MIT
 *
 * attribute_list.c - the system's attribute lists, and notes beside them for the one attribute that
 * they cannot hold: the one that makes a worker.
 *
 * Only the system knows a list's layout. So the library has a table of notes, by the list's
 * address: how many attributes fit, how many there are, and the UMS one. The note has the pointer
 * to the program's UMS_CREATE_THREAD_ATTRIBUTES, as some programs change that struct between two
 * creations. Other programs pass a local variable, which is gone when the thread is created. So the
 * note has a copy as well, for the case that UMS_VERSION is no longer where the pointer leads.
 *
 * Programs need not delete their lists. When the table is full a new note replaces one without the
 * UMS attribute. A list without a note counts as one with room.
 */
#include <string.h>

#include "platform/windows/switch/teb_access.h"
#include "winapi/windows/surface.h"

enum { NOTES = 1024, OBJECT_NAME_EXISTS = 698 /* MinGW-w64 lacks the name */ };

struct note {
    LPPROC_THREAD_ATTRIBUTE_LIST list; /* NULL: free */
    DWORD capacity, count;
    bool is_ums, has_copy;
    const void *value;
    UMS_CREATE_THREAD_ATTRIBUTES copy;
};

static struct note notes[NOTES];
static unsigned high;    /* the notes from here on were never used */
static unsigned evicted; /* the note that was replaced last */
static struct plat_lock lock;

static struct note *find(LPPROC_THREAD_ATTRIBUTE_LIST list)
{
    for (unsigned i = 0; i < high; i++)
        if (notes[i].list == list)
            return &notes[i];
    return NULL;
}

/* Makes a list's note. NULL: every note has a UMS attribute. */
static struct note *make(LPPROC_THREAD_ATTRIBUTE_LIST list, DWORD capacity)
{
    struct note *note = find(list);
    if (!note)
        note = find(NULL);
    if (!note && high < NOTES)
        note = &notes[high++];
    for (unsigned i = 0; !note && i < NOTES; i++) {
        evicted = (evicted + 1) % NOTES;
        if (!notes[evicted].is_ums)
            note = &notes[evicted];
    }
    if (note) {
        memset(note, 0, sizeof *note);
        note->list = list;
        note->capacity = capacity;
    }
    return note;
}

BOOL WINAPI umsshim_InitializeProcThreadAttributeList(LPPROC_THREAD_ATTRIBUTE_LIST list,
                                                      DWORD count, DWORD flags, PSIZE_T size)
{
    if (flags)
        return ums__fail(ERROR_INVALID_PARAMETER);
    BOOL ok = InitializeProcThreadAttributeList(list, count, flags, size);
    if (ok && list) {
        plat_lock(&lock);
        make(list, count);
        plat_unlock(&lock);
    }
    return ok;
}

/* Copies the attributes through the system, which reports a bad pointer. Most pointers lead to a
 * local variable on the caller's own stack; the used part of that is always readable, so it is
 * copied directly. Wine would stop the process to read it. */
static bool read_attributes(const void *from, UMS_CREATE_THREAD_ATTRIBUTES *to)
{
    uintptr_t at = (uintptr_t)from, limit, base;
    SIZE_T got = 0;
    teb_stack_in_use(&limit, &base);
    if (at >= limit && at < base && base - at >= sizeof *to) {
        memcpy(to, from, sizeof *to);
        return true;
    }
    return ReadProcessMemory(GetCurrentProcess(), from, to, sizeof *to, &got) && got == sizeof *to;
}

static DWORD add_ums(LPPROC_THREAD_ATTRIBUTE_LIST list, PVOID value, SIZE_T size)
{
    if (!list)
        return ERROR_INVALID_PARAMETER;
    UMS_CREATE_THREAD_ATTRIBUTES now;
    bool readable = read_attributes(value, &now);
    DWORD error = 0;
    plat_lock(&lock);
    struct note *note = find(list);
    if (!note)
        note = make(list, MAXDWORD);
    if (!note)
        error = ERROR_NOT_ENOUGH_MEMORY;
    else if (note->count >= note->capacity)
        error = ERROR_GEN_FAILURE;
    else if (size != sizeof now)
        error = ERROR_BAD_LENGTH;
    else if (note->is_ums)
        error = OBJECT_NAME_EXISTS;
    if (!error) {
        note->count++;
        note->is_ums = true;
        note->value = value;
        note->has_copy = readable && now.UmsVersion == UMS_VERSION;
        if (note->has_copy)
            note->copy = now;
    }
    plat_unlock(&lock);
    return error;
}

BOOL WINAPI umsshim_UpdateProcThreadAttribute(LPPROC_THREAD_ATTRIBUTE_LIST list, DWORD flags,
                                              DWORD_PTR attribute, PVOID value, SIZE_T size,
                                              PVOID previous, PSIZE_T returned)
{
    if (attribute == PROC_THREAD_ATTRIBUTE_UMS_THREAD) {
        int error = ums__init();
        if (!error && (flags || previous || returned))
            error = ERROR_INVALID_PARAMETER;
        if (!error)
            error = (int)add_ums(list, value, size);
        return error ? ums__fail((uint32_t)error) : TRUE;
    }
    plat_lock(&lock);
    struct note *note = find(list);
    bool full = note && note->is_ums && note->count >= note->capacity;
    plat_unlock(&lock);
    if (full)
        return ums__fail(ERROR_GEN_FAILURE);
    BOOL ok = UpdateProcThreadAttribute(list, flags, attribute, value, size, previous, returned);
    if (ok) {
        plat_lock(&lock);
        note = find(list);
        if (note)
            note->count++;
        plat_unlock(&lock);
    }
    return ok;
}

VOID WINAPI umsshim_DeleteProcThreadAttributeList(LPPROC_THREAD_ATTRIBUTE_LIST list)
{
    plat_lock(&lock);
    struct note *note = list ? find(list) : NULL;
    if (note)
        memset(note, 0, sizeof *note);
    plat_unlock(&lock);
    DeleteProcThreadAttributeList(list);
}

bool win__ums_attribute(LPPROC_THREAD_ATTRIBUTE_LIST list, UMS_CREATE_THREAD_ATTRIBUTES *attributes)
{
    struct note copy;
    if (!list)
        return false;
    plat_lock(&lock);
    struct note *note = find(list);
    bool is_ums = note && note->is_ums;
    if (is_ums)
        copy = *note;
    plat_unlock(&lock);
    if (!is_ums)
        return false;
    if (!read_attributes(copy.value, attributes))
        attributes->UmsVersion = 0;
    if (attributes->UmsVersion != UMS_VERSION && copy.has_copy)
        *attributes = copy.copy;
    return true;
}
