/* SPDX-License-Identifier: MIT
 *
 * stub_jumps.c - see stub_jumps.h.
 *
 * The shapes of jumps are those that hook libraries and security products are known to write. A
 * jump that is longer than eight bytes covers the bytes by which a stub is recognised. So only the
 * export's name tells that it is a stub's.
 */
#include "platform/windows/os/stub_jumps.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <windows.h>

static const uint8_t first[] = {0x4C, 0x8B, 0xD1}; /* mov r10, rcx */

/* mov r10, rcx; mov eax, number; test byte ptr [7FFE0308h], 1; jne +3; syscall; ret */
static bool has_tail(const uint8_t *code)
{
    static const uint8_t middle[] = {0xF6, 0x04, 0x25, 0x08, 0x03, 0xFE, 0x7F,
                                     0x01, 0x75, 0x03, 0x0F, 0x05, 0xC3};
    /* int 2Eh; ret */
    static const uint8_t windows_tail[] = {0xCD, 0x2E, 0xC3};
    /* jmp +1; ret; call [7FFE1000h]; ret: in Wine */
    static const uint8_t wine_tail[] = {0xEB, 0x01, 0xC3, 0xFF, 0x14, 0x25,
                                        0x00, 0x10, 0xFE, 0x7F, 0xC3};
    return memcmp(code + 8, middle, sizeof middle) == 0 &&
           (memcmp(code + 21, windows_tail, sizeof windows_tail) == 0 ||
            memcmp(code + 21, wine_tail, sizeof wine_tail) == 0);
}

static bool is_usual(const uint8_t *code)
{
    return memcmp(code, first, sizeof first) == 0 && code[3] == 0xB8 && code[6] == 0 &&
           code[7] == 0 && has_tail(code);
}

static const void *address_at(const void *place)
{
    const void *address;
    memcpy(&address, place, sizeof address);
    return address;
}

static const uint8_t *near_target(const uint8_t *after, const uint8_t *displacement)
{
    int32_t distance;
    memcpy(&distance, displacement, sizeof distance);
    return after + distance;
}

static bool is_readable(const void *place)
{
    MEMORY_BASIC_INFORMATION region;
    return VirtualQuery(place, &region, sizeof region) && region.State == MEM_COMMIT &&
           !(region.Protect & (PAGE_NOACCESS | PAGE_GUARD)) &&
           (uintptr_t)region.BaseAddress + region.RegionSize - (uintptr_t)place >= sizeof(void *);
}

static bool is_code(const void *place)
{
    enum {
        EXECUTABLE =
            PAGE_EXECUTE | PAGE_EXECUTE_READ | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY
    };
    MEMORY_BASIC_INFORMATION region;
    return VirtualQuery(place, &region, sizeof region) && region.State == MEM_COMMIT &&
           region.Protect & EXECUTABLE;
}

static bool follows(const uint8_t *code, size_t at, const void *bytes, size_t count)
{
    return memcmp(code + at, bytes, count) == 0;
}

/* The target of the jump; NULL if it is not a jump of a known shape. */
static const void *target_of(const uint8_t *code)
{
    if (code[0] == 0xE9) /* jmp near */
        return near_target(code + 5, code + 1);
    if (code[0] == 0xFF && code[1] == 0x25) { /* jmp [near] */
        const uint8_t *place = near_target(code + 6, code + 2);
        return is_readable(place) ? address_at(place) : NULL;
    }
    if (code[0] == 0x48 && code[1] == 0xB8 && /* mov rax, x; jmp rax, or push rax; ret */
        (follows(code, 10, "\xFF\xE0", 2) || follows(code, 10, "\x50\xC3", 2)))
        return address_at(code + 2);
    if (code[0] == 0x49 && code[1] == 0xBB && follows(code, 10, "\x41\xFF\xE3", 3))
        return address_at(code + 2); /* mov r11, x; jmp r11 */
    if (code[0] == 0x68) {           /* push x; (mov [rsp+4], x's upper half;) ret */
        uint32_t low, high = 0;
        memcpy(&low, code + 1, sizeof low);
        if (follows(code, 5, "\xC7\x44\x24\x04", 4) && code[13] == 0xC3)
            memcpy(&high, code + 9, sizeof high);
        else if (code[5] != 0xC3)
            return NULL;
        return (const void *)(uintptr_t)((uint64_t)high << 32 | low);
    }
    return NULL;
}

struct stub stub_read(const uint8_t *code)
{
    struct stub stub = {STUB_NONE, 0, NULL};
    if ((uintptr_t)code % 8 != 0)
        return stub;
    if (is_usual(code)) {
        stub.kind = STUB_USUAL;
        return stub;
    }
    if (has_tail(code))
        stub.kind = STUB_CHANGED;
    if (memcmp(code, first, sizeof first) == 0 && code[3] == 0xE9 && has_tail(code))
        stub.at = sizeof first;
    stub.target = target_of(code + stub.at);
    if (stub.target && is_code(stub.target))
        stub.kind = STUB_JUMPS;
    return stub;
}
