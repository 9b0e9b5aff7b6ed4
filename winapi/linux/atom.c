/* SPDX-License-Identifier: MIT
 *
 * atom.c - atoms, which are numbers for texts. AddAtom and GlobalAddAtom have a table each; other
 * processes see neither.
 *
 * A text's atom is 0xC000 or above. The table counts how often the text was added, and takes ASCII
 * letters of both cases as the same. An atom below 0xC000 is the number itself, with a text such as
 * "#17": no table has those.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/atom.h"
#include "winapi/linux/text.h"

enum { FIRST = 0xC000, MOST = 0x4000, LONGEST = 255, NUMBER_ROOM = 8 };

struct atom {
    char *text; /* NULL: the place is free */
    unsigned count;
};

struct table {
    PLAT_LOCK(ATOMS) lock; /* for the whole table */
    struct atom *atoms;
    size_t room;
};

static struct table local_table, global_table;

/* Of "#" and a decimal number: the number, or 0 if it cannot be an atom. -1: another text. */
static int number_in(const char *text)
{
    unsigned long number = 0;
    if (*text++ != '#' || !*text)
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return -1;
        number = number < FIRST ? number * 10 + (unsigned long)(*text - '0') : number;
    }
    return number < FIRST ? (int)number : 0;
}

/* The place of a text, or -1. The caller has the lock. */
static long find(const struct table *table, const char *text)
{
    for (size_t i = 0; i < table->room; i++)
        if (table->atoms[i].text && !strcasecmp(table->atoms[i].text, text))
            return (long)i;
    return -1;
}

/* A free place, or -1. The caller has the lock. */
static long free_place(struct table *table)
{
    for (size_t i = 0; i < table->room; i++)
        if (!table->atoms[i].text)
            return (long)i;
    size_t room = table->room ? table->room * 2 : 64;
    struct atom *larger = room <= MOST ? realloc(table->atoms, room * sizeof *larger) : NULL;
    if (!larger)
        return -1;
    memset(larger + table->room, 0, (room - table->room) * sizeof *larger);
    size_t place = table->room;
    table->atoms = larger;
    table->room = room;
    return (long)place;
}

static ATOM failed(DWORD error)
{
    win__fail(error);
    return 0;
}

static ATOM look(struct table *table, const char *text, bool add)
{
    if (!((uintptr_t)text >> 16)) /* an atom from MAKEINTATOM */
        return text && (uintptr_t)text < FIRST ? (ATOM)(uintptr_t)text
                                               : failed(ERROR_INVALID_PARAMETER);
    int number = number_in(text);
    if (number >= 0)
        return number ? (ATOM)number : failed(ERROR_INVALID_PARAMETER);
    size_t length = strlen(text);
    if (!length)
        return failed(ERROR_INVALID_NAME);
    if (length > LONGEST)
        return failed(ERROR_INVALID_PARAMETER);
    char *copy = add ? strdup(text) : NULL;
    if (add && !copy)
        return failed(ERROR_NOT_ENOUGH_MEMORY);
    plat_lock(&table->lock);
    long place = find(table, text);
    if (place < 0 && add && (place = free_place(table)) >= 0) {
        table->atoms[place].text = copy;
        copy = NULL;
    }
    if (place >= 0 && add)
        table->atoms[place].count++;
    plat_unlock(&table->lock);
    free(copy);
    return place >= 0 ? (ATOM)(FIRST + place)
                      : failed(add ? ERROR_NOT_ENOUGH_MEMORY : ERROR_FILE_NOT_FOUND);
}

static ATOM look_wide(struct table *table, const WCHAR *wide, bool add)
{
    if (!((uintptr_t)wide >> 16))
        return look(table, (const char *)wide, add);
    char *text = win__narrow(wide, win__wide_length(wide), NULL);
    ATOM atom = text ? look(table, text, add) : failed(ERROR_NOT_ENOUGH_MEMORY);
    free(text);
    return atom;
}

/* Takes back one addition of an atom. 0, or the atom itself: the table does not have it. */
static ATOM drop(struct table *table, ATOM atom)
{
    char *gone = NULL;
    bool known = true;
    if (atom < FIRST)
        return atom ? 0 : (win__fail(ERROR_INVALID_HANDLE), atom);
    plat_lock(&table->lock);
    struct atom *entry = (size_t)(atom - FIRST) < table->room ? &table->atoms[atom - FIRST] : NULL;
    known = entry && entry->text;
    if (known && --entry->count == 0) {
        gone = entry->text;
        entry->text = NULL;
    }
    plat_unlock(&table->lock);
    free(gone);
    if (!known)
        win__fail(ERROR_INVALID_HANDLE);
    return known ? 0 : atom;
}

/* The text in malloc's memory, or NULL with the last error set. */
static char *name_of(struct table *table, ATOM atom)
{
    char number[NUMBER_ROOM], *text = NULL;
    bool known = atom != 0;
    if (atom < FIRST) {
        snprintf(number, sizeof number, "#%u", (unsigned)atom);
        text = known ? strdup(number) : NULL;
    } else {
        plat_lock(&table->lock);
        size_t place = (size_t)(atom - FIRST);
        known = place < table->room && table->atoms[place].text;
        text = known ? strdup(table->atoms[place].text) : NULL;
        plat_unlock(&table->lock);
    }
    if (!text)
        win__fail(known ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_HANDLE);
    return text;
}

/* A text that is too long for the buffer is cut. */
static UINT give_name(struct table *table, ATOM atom, LPSTR buffer, INT size)
{
    if (size <= 0)
        return failed(ERROR_MORE_DATA);
    char *text = name_of(table, atom);
    if (!text)
        return 0;
    size_t length = strnlen(text, (size_t)size - 1);
    bool cut = text[length] != 0;
    memcpy(buffer, text, length);
    buffer[length] = 0;
    free(text);
    if (cut)
        win__fail(ERROR_MORE_DATA);
    return (UINT)length;
}

static UINT give_name_wide(struct table *table, ATOM atom, LPWSTR buffer, INT size)
{
    if (size <= 0)
        return failed(ERROR_MORE_DATA);
    char *text = name_of(table, atom);
    SIZE_T length = 0;
    WCHAR *wide = text ? win__widen(text, strlen(text), &length) : NULL;
    if (text && !wide)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    free(text);
    if (!wide)
        return 0;
    if (length > (SIZE_T)size - 1) {
        length = (SIZE_T)size - 1;
        win__fail(ERROR_MORE_DATA);
    }
    memcpy(buffer, wide, length * sizeof *wide);
    buffer[length] = 0;
    free(wide);
    return (UINT)length;
}

#define CALLS(before, table)                                                                       \
    ATOM WINAPI before##AddAtomA(LPCSTR lpString)                                                  \
    {                                                                                              \
        return look(&(table), lpString, true);                                                     \
    }                                                                                              \
    ATOM WINAPI before##AddAtomW(LPCWSTR lpString)                                                 \
    {                                                                                              \
        return look_wide(&(table), lpString, true);                                                \
    }                                                                                              \
    ATOM WINAPI before##FindAtomA(LPCSTR lpString)                                                 \
    {                                                                                              \
        return look(&(table), lpString, false);                                                    \
    }                                                                                              \
    ATOM WINAPI before##FindAtomW(LPCWSTR lpString)                                                \
    {                                                                                              \
        return look_wide(&(table), lpString, false);                                               \
    }                                                                                              \
    ATOM WINAPI before##DeleteAtom(ATOM nAtom)                                                     \
    {                                                                                              \
        return drop(&(table), nAtom);                                                              \
    }                                                                                              \
    UINT WINAPI before##GetAtomNameA(ATOM nAtom, LPSTR lpBuffer, INT nSize)                        \
    {                                                                                              \
        return give_name(&(table), nAtom, lpBuffer, nSize);                                        \
    }                                                                                              \
    UINT WINAPI before##GetAtomNameW(ATOM nAtom, LPWSTR lpBuffer, INT nSize)                       \
    {                                                                                              \
        return give_name_wide(&(table), nAtom, lpBuffer, nSize);                                   \
    }

/* clang-format off */
CALLS(, local_table)
CALLS(Global, global_table)
/* clang-format on */

/* The tables grow by themselves, so they need no number of places. */
BOOL WINAPI InitAtomTable(DWORD nSize)
{
    (void)nSize;
    return TRUE;
}

void atoms_forget(void)
{
    plat_lock_forget(&local_table.lock);
    plat_lock_forget(&global_table.lock);
}
