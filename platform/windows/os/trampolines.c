/* SPDX-License-Identifier: MIT
 *
 * trampolines.c - see trampolines.h.
 */
#include "platform/windows/os/trampolines.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/windows/os/near_pages.h"

_Static_assert(sizeof(struct trampoline) == 64, "trampolines keep to cache lines");

/* All that there are: a thread may be in any of them. Read by anybody at any time: a place is free
 * while it begins at 0. */
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

/* mov r10, rcx; mov eax, number; test byte ptr [7FFE0308h], 1; jne +3; syscall; ret */
enum stub_kind trampolines_stub_kind(const uint8_t *code)
{
    static const uint8_t head[] = {0x4C, 0x8B, 0xD1, 0xB8};
    static const uint8_t middle[] = {0xF6, 0x04, 0x25, 0x08, 0x03, 0xFE, 0x7F,
                                     0x01, 0x75, 0x03, 0x0F, 0x05, 0xC3};
    /* int 2Eh; ret */
    static const uint8_t windows_tail[] = {0xCD, 0x2E, 0xC3};
    /* jmp +1; ret; call [7FFE1000h]; ret: as Wine has it */
    static const uint8_t wine_tail[] = {0xEB, 0x01, 0xC3, 0xFF, 0x14, 0x25,
                                        0x00, 0x10, 0xFE, 0x7F, 0xC3};
    if ((uintptr_t)code % 8 != 0 || memcmp(code + 8, middle, sizeof middle) != 0 ||
        (memcmp(code + 21, windows_tail, sizeof windows_tail) != 0 &&
         memcmp(code + 21, wine_tail, sizeof wine_tail) != 0))
        return STUB_NONE;
    return memcmp(code, head, sizeof head) == 0 && code[6] == 0 && code[7] == 0 ? STUB_USUAL
                                                                                : STUB_CHANGED;
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

struct trampoline *trampolines_add(struct trampolines *trampolines, uint8_t *code, void *handler)
{
    static const uint8_t load[] = {0x4C, 0x8D, 0x1D, (uint8_t)-offsetof(struct trampoline, jump),
                                   0xFF, 0xFF, 0xFF};
    static const uint8_t jump[] = {0xFF, 0x25, 0, 0, 0, 0};
    struct trampoline *trampoline = &trampolines->first[trampolines->used++];
    memcpy(trampoline->stub, code, sizeof trampoline->stub);
    memcpy(trampoline->load, load, sizeof load);
    memcpy(trampoline->jump, jump, sizeof jump);
    memcpy(trampoline->target, &handler, sizeof trampoline->target);
    trampoline->code = code;
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
    memcpy(&value, trampoline->stub, sizeof value);
    return value;
}

uint64_t trampoline_after(const struct trampoline *trampoline)
{
    uint8_t bytes[8];
    uint64_t value;
    int32_t distance = (int32_t)((intptr_t)trampoline->load - (intptr_t)(trampoline->code + 8));
    memcpy(bytes, trampoline->stub, 3);
    bytes[3] = 0xE9;
    memcpy(bytes + 4, &distance, sizeof distance);
    memcpy(&value, bytes, sizeof value);
    return value;
}

bool trampolines_exchange(uint64_t *stub, uint64_t expected, uint64_t bytes)
{
    return __atomic_compare_exchange_n(stub, &expected, bytes, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}
