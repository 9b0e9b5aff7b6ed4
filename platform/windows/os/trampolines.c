/* SPDX-License-Identifier: MIT
 *
 * trampolines.c - see trampolines.h.
 */
#include "platform/windows/os/trampolines.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/windows/os/near_pages.h"

_Static_assert(sizeof(struct trampoline) == 64, "trampolines keep to cache lines");
_Static_assert(offsetof(struct trampoline, target) == offsetof(struct trampoline, jump) + 6,
               "put_jump");

/* The memory of all trampolines, in any of which a thread may be. Any thread reads this at any
 * time. A place is free while its start is 0. */
enum { SPANS = 8 };
static struct {
    _Atomic uintptr_t start;
    _Atomic size_t bytes;
} spans[SPANS];

bool trampolines_hold(const void *code)
{
    for (int i = 0; i < SPANS; i++)
        if ((uintptr_t)code - atomic_load(&spans[i].start) < atomic_load(&spans[i].bytes))
            return true;
    return false;
}

static bool remember(const struct trampolines *trampolines)
{
    for (int i = 0; i < SPANS; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&spans[i].start, &none, (uintptr_t)trampolines->first)) {
            atomic_store(&spans[i].bytes, trampolines->room * sizeof(struct trampoline));
            return true;
        }
    }
    return false;
}

static void forget(const struct trampolines *trampolines)
{
    for (int i = 0; i < SPANS; i++)
        if (atomic_load(&spans[i].start) == (uintptr_t)trampolines->first) {
            atomic_store(&spans[i].bytes, 0);
            atomic_store(&spans[i].start, 0);
            return;
        }
}

bool trampolines_begin(struct trampolines *trampolines, HMODULE module, size_t room)
{
    uintptr_t base = (uintptr_t)module;
    const IMAGE_NT_HEADERS *headers =
        (const void *)(base + (uintptr_t)((const IMAGE_DOS_HEADER *)module)->e_lfanew);
    trampolines->room = room;
    trampolines->used = 0;
    trampolines->first = near_pages(base, base + headers->OptionalHeader.SizeOfImage, false,
                                    room * sizeof(struct trampoline));
    if (trampolines->first && !remember(trampolines)) {
        VirtualFree(trampolines->first, 0, MEM_RELEASE);
        trampolines->first = NULL;
    }
    return trampolines->first != NULL;
}

static void put_jump(uint8_t *at, const void *target)
{
    static const uint8_t jump[] = {0xFF, 0x25, 0, 0, 0, 0}; /* to the address that follows */
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &target, sizeof target);
}

/* A stub with another product's jump in it goes on where that jump leads. */
static void fill(struct trampoline *trampoline, const struct stub *stub)
{
    size_t own = stub->kind == STUB_USUAL ? sizeof trampoline->before : stub->at;
    memcpy(trampoline->stub, trampoline->code, own);
    put_jump(trampoline->stub + own,
             stub->kind == STUB_USUAL ? trampoline->code + own : stub->target);
}

enum { USUAL_JUMP_AT = 3 };

struct trampoline *trampolines_add(struct trampolines *trampolines, uint8_t *code,
                                   const struct stub *stub, void *handler)
{
    static const uint8_t load[] = {0x4C, 0x8D, 0x1D, (uint8_t)-offsetof(struct trampoline, jump),
                                   0xFF, 0xFF, 0xFF};
    struct trampoline *trampoline = &trampolines->first[trampolines->used++];
    trampoline->code = code;
    memcpy(trampoline->before, code, sizeof trampoline->before);
    memcpy(trampoline->load, load, sizeof load);
    put_jump(trampoline->jump, handler);
    trampoline->jump_at = stub->kind == STUB_USUAL ? USUAL_JUMP_AT : stub->at;
    fill(trampoline, stub);
    return trampoline;
}

bool trampolines_seal(const struct trampolines *trampolines)
{
    return near_pages_seal(trampolines->first, trampolines->room * sizeof(struct trampoline));
}

void trampolines_drop(struct trampolines *trampolines)
{
    forget(trampolines);
    VirtualFree(trampolines->first, 0, MEM_RELEASE);
    *trampolines = (struct trampolines){0};
}

uint64_t trampoline_before(const struct trampoline *trampoline)
{
    uint64_t value;
    memcpy(&value, trampoline->before, sizeof value);
    return value;
}

uint64_t trampoline_after(const struct trampoline *trampoline)
{
    uint8_t bytes[8];
    uint64_t value;
    size_t at = trampoline->jump_at;
    int32_t distance =
        (int32_t)((intptr_t)trampoline->load - (intptr_t)(trampoline->code + at + 5));
    memcpy(bytes, trampoline->before, sizeof bytes);
    bytes[at] = 0xE9;
    memcpy(bytes + at + 1, &distance, sizeof distance);
    memcpy(&value, bytes, sizeof value);
    return value;
}

bool trampolines_exchange(uint64_t *stub, uint64_t expected, uint64_t bytes)
{
    return __atomic_compare_exchange_n(stub, &expected, bytes, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}
