/* SPDX-License-Identifier: MIT
 *
 * handle_info.c - see handle_info.h.
 */
#include "platform/windows/waits/handle_info.h"

#include <string.h>

#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/originals.h"

/* Handles are multiples of four, and the program may use the lower two bits. */
enum { IN_BLOCK = 1024, BLOCKS = 4096 };
enum { BASIC_CLASS = 0, NAME_CLASS = 1, TYPE_CLASS = 2 };
enum { EVENT_IS_AUTO = 1, MODIFY = 2 };

bool handle_info_kept, handle_info_private;

static _Atomic(struct handle_info *) blocks[BLOCKS];

struct handle_info *handle_info_of(HANDLE handle)
{
    uintptr_t place = (uintptr_t)handle >> 2;
    if (place >= (uintptr_t)IN_BLOCK * BLOCKS ||
        UMS_UNLIKELY(atomic_load_explicit(&engine_over, memory_order_relaxed)))
        return NULL;
    struct handle_info *block =
        atomic_load_explicit(&blocks[place / IN_BLOCK], memory_order_acquire);
    return block ? &block[place % IN_BLOCK] : NULL;
}

static struct handle_info *place_of(HANDLE handle)
{
    struct handle_info *info = handle_info_of(handle), *none = NULL;
    uintptr_t block = ((uintptr_t)handle >> 2) / IN_BLOCK;
    if (info || block >= BLOCKS || !handle_info_kept)
        return info;
    struct handle_info *fresh = plat_reserve(IN_BLOCK * sizeof *info);
    if (fresh && plat_commit(fresh, IN_BLOCK * sizeof *info) &&
        !atomic_compare_exchange_strong(&blocks[block], &none, fresh))
        VirtualFree(fresh, 0, MEM_RELEASE); /* another thread was first */
    return handle_info_of(handle);
}

/* The system's answers. Its structures have more fields than this code uses. */
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

/* Whether this handle is the object's only one, and no process can get another by a name. */
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
    LONG what[2]; /* an event's type and state, or a semaphore's count and maximum */
    if (semaphore) {
        if (!nt.NtQuerySemaphore || nt.NtQuerySemaphore(handle, 0, what, sizeof what, NULL) < 0)
            return HANDLE_OTHER;
        *maximum = what[1];
        return HANDLE_SEMAPHORE;
    }
    if (!nt.NtQueryEvent || nt.NtQueryEvent(handle, 0, what, sizeof what, NULL) < 0)
        return HANDLE_OTHER;
    return what[0] == EVENT_IS_AUTO ? HANDLE_AUTO : HANDLE_MANUAL;
}

struct handle_info *handle_info_learn(HANDLE handle, uint8_t *kind)
{
    struct handle_info *info = place_of(handle);
    *kind = handle_kind(info);
    if (*kind != HANDLE_UNKNOWN)
        return info;
    uint32_t closes = info ? atomic_load_explicit(&info->closes, memory_order_acquire) : 0;
    struct told told;
    if (!ask(handle, TYPE_CLASS, &told))
        return NULL;
    *kind = type_is(&told, L"Mutant") ? HANDLE_OWNED : HANDLE_OTHER;
    int32_t maximum = 0;
    ACCESS_MASK access = 0;
    bool semaphore = type_is(&told, L"Semaphore");
    if (info && handle_info_private && (semaphore || type_is(&told, L"Event")) &&
        is_alone(handle, &access))
        *kind = private_kind(handle, semaphore, &maximum);
    if (!info)
        return NULL;
    plat_lock(&info->lock);
    if (handle_kind(info) == HANDLE_UNKNOWN &&
        atomic_load_explicit(&info->closes, memory_order_acquire) == closes) {
        info->may_signal = access & MODIFY;
        info->maximum = maximum;
        atomic_store_explicit(&info->word, 0, memory_order_relaxed);
        atomic_store_explicit(&info->kind, *kind, memory_order_release);
    } else {
        *kind = handle_kind(info); /* another thread was first, or the handle was closed */
    }
    plat_unlock(&info->lock);
    return *kind == HANDLE_UNKNOWN ? NULL : info;
}

void handle_info_made(HANDLE handle)
{
    struct handle_info *info = place_of(handle);
    if (!info)
        return;
    plat_lock(&info->lock);
    if (handle_kind(info) == HANDLE_UNKNOWN)
        atomic_store_explicit(&info->kind, HANDLE_OTHER, memory_order_release);
    plat_unlock(&info->lock);
}

enum { FILE_KINDS = 8 };

uint8_t handle_file_kind(HANDLE handle, uint32_t *closes)
{
    struct handle_info *info = handle_info_kept ? place_of(handle) : NULL;
    if (!info)
        return 0;
    *closes = atomic_load_explicit(&info->closes, memory_order_acquire);
    uint32_t file = atomic_load_explicit(&info->file, memory_order_relaxed);
    return file / FILE_KINDS == *closes % (UINT32_MAX / FILE_KINDS) ? file % FILE_KINDS : 0;
}

void handle_say_file_kind(HANDLE handle, uint32_t closes, uint8_t kind)
{
    struct handle_info *info = handle_info_kept ? handle_info_of(handle) : NULL;
    if (info)
        atomic_store_explicit(&info->file, closes % (UINT32_MAX / FILE_KINDS) * FILE_KINDS + kind,
                              memory_order_relaxed);
}

HANDLE handle_duplicate(HANDLE handle)
{
    enum { SAME_ACCESS = 2 };
    HANDLE own = NULL;
    NTSTATUS status = ORIGINAL_OF(NtDuplicateObject)(GetCurrentProcess(), handle,
                                                     GetCurrentProcess(), &own, 0, 0, SAME_ACCESS);
    return status >= 0 ? own : NULL;
}
