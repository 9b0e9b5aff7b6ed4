/* SPDX-License-Identifier: MIT
 *
 * notes.c - see notes.h.
 */
#include "platform/windows/notes.h"

#include <string.h>

#include "platform/windows/carry.h"
#include "platform/windows/ntapi.h"

/* Handles are multiples of four, and the lower two bits are the program's to use. */
enum { IN_BLOCK = 1024, BLOCKS = 4096 };
enum { BASIC_CLASS = 0, NAME_CLASS = 1, TYPE_CLASS = 2 };
enum { EVENT_IS_AUTO = 1, MODIFY = 2 };

bool notes_kept, notes_private;

static _Atomic(struct note *) blocks[BLOCKS];

struct note *note_of(HANDLE handle)
{
    uintptr_t place = (uintptr_t)handle >> 2;
    if (place >= (uintptr_t)IN_BLOCK * BLOCKS ||
        UMS_UNLIKELY(atomic_load_explicit(&engine_over, memory_order_relaxed)))
        return NULL;
    struct note *block = atomic_load_explicit(&blocks[place / IN_BLOCK], memory_order_acquire);
    return block ? &block[place % IN_BLOCK] : NULL;
}

static struct note *note_place(HANDLE handle)
{
    struct note *note = note_of(handle), *none = NULL;
    uintptr_t block = ((uintptr_t)handle >> 2) / IN_BLOCK;
    if (note || block >= BLOCKS || !notes_kept)
        return note;
    struct note *fresh = plat_reserve(IN_BLOCK * sizeof *note);
    if (fresh && plat_commit(fresh, IN_BLOCK * sizeof *note) &&
        !atomic_compare_exchange_strong(&blocks[block], &none, fresh))
        VirtualFree(fresh, 0, MEM_RELEASE); /* another was first */
    return note_of(handle);
}

/* What the system tells. The structures are longer than what is used of them here. */
struct told {
    union {
        struct {
            ULONG attributes;
            ACCESS_MASK access;
            ULONG handles, pointers, reserved[10];
        } basic;
        UNICODE_STRING text; /* of the type, or the name */
        char bytes[1024];
    };
};

static bool ask(HANDLE handle, int class, struct told *told)
{
    ULONG length;
    return nt.NtQueryObject &&
           nt.NtQueryObject(handle, class, told,
                            class == BASIC_CLASS ? sizeof told->basic : sizeof *told, &length) >= 0;
}

static bool type_is(const struct told *told, const wchar_t *name)
{
    size_t bytes = wcslen(name) * sizeof *name;
    return told->text.Length == bytes && memcmp(told->text.Buffer, name, bytes) == 0;
}

/* Nobody but this process, by this handle, can have it. */
static bool is_alone(HANDLE handle, ACCESS_MASK *access)
{
    struct told told;
    if (!ask(handle, BASIC_CLASS, &told) || told.basic.handles != 1 ||
        (told.basic.attributes & OBJ_INHERIT) || !(told.basic.access & SYNCHRONIZE))
        return false;
    *access = told.basic.access;
    return ask(handle, NAME_CLASS, &told) && told.text.Length == 0;
}

static uint8_t private_kind(HANDLE handle, bool semaphore, int32_t *maximum)
{
    LONG what[2]; /* an event's type and state, a semaphore's count and maximum */
    if (semaphore) {
        if (!nt.NtQuerySemaphore || nt.NtQuerySemaphore(handle, 0, what, sizeof what, NULL) < 0)
            return NOTE_OTHER;
        *maximum = what[1];
        return NOTE_SEMAPHORE;
    }
    if (!nt.NtQueryEvent || nt.NtQueryEvent(handle, 0, what, sizeof what, NULL) < 0)
        return NOTE_OTHER;
    return what[0] == EVENT_IS_AUTO ? NOTE_AUTO : NOTE_MANUAL;
}

struct note *note_learn(HANDLE handle, uint8_t *kind)
{
    struct note *note = note_place(handle);
    *kind = note_kind(note);
    if (*kind != NOTE_NONE)
        return note;
    uint32_t closes = note ? atomic_load_explicit(&note->closes, memory_order_acquire) : 0;
    struct told told;
    if (!ask(handle, TYPE_CLASS, &told))
        return NULL;
    *kind = type_is(&told, L"Mutant") ? NOTE_OWNED : NOTE_OTHER;
    int32_t maximum = 0;
    ACCESS_MASK access = 0;
    bool semaphore = type_is(&told, L"Semaphore");
    if (note && notes_private && (semaphore || type_is(&told, L"Event")) &&
        is_alone(handle, &access))
        *kind = private_kind(handle, semaphore, &maximum);
    if (!note)
        return NULL;
    plat_lock(&carry_lock);
    if (note_kind(note) == NOTE_NONE &&
        atomic_load_explicit(&note->closes, memory_order_acquire) == closes) {
        note->may_signal = access & MODIFY;
        note->maximum = maximum;
        atomic_store_explicit(&note->word, 0, memory_order_relaxed);
        atomic_store_explicit(&note->kind, *kind, memory_order_release);
    } else {
        *kind = note_kind(note); /* another was first, or it was closed */
    }
    plat_unlock(&carry_lock);
    return *kind == NOTE_NONE ? NULL : note;
}

enum { FILE_KINDS = 8 };

uint8_t note_file_kind(HANDLE handle, uint32_t *closes)
{
    struct note *note = notes_kept ? note_place(handle) : NULL;
    if (!note)
        return 0;
    *closes = atomic_load_explicit(&note->closes, memory_order_acquire);
    uint32_t file = atomic_load_explicit(&note->file, memory_order_relaxed);
    return file / FILE_KINDS == *closes % (UINT32_MAX / FILE_KINDS) ? file % FILE_KINDS : 0;
}

void note_say_file_kind(HANDLE handle, uint32_t closes, uint8_t kind)
{
    struct note *note = notes_kept ? note_of(handle) : NULL;
    if (note)
        atomic_store_explicit(&note->file, closes % (UINT32_MAX / FILE_KINDS) * FILE_KINDS + kind,
                              memory_order_relaxed);
}

HANDLE note_duplicate(HANDLE handle)
{
    enum { SAME_ACCESS = 2 };
    HANDLE own = NULL;
    NTSTATUS status = ORIGINAL_OF(NtDuplicateObject)(GetCurrentProcess(), handle,
                                                     GetCurrentProcess(), &own, 0, 0, SAME_ACCESS);
    return status >= 0 ? own : NULL;
}
