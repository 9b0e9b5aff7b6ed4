/* SPDX-License-Identifier: MIT
 *
 * stubs.c - jumps over system-call stubs, in the shapes that security products are known to write.
 *
 * Each stub gets the next shape. Its code is copied to a place near the module, from where the call is made:
 * a stub refers to nothing relative. It happens while the process has one thread.
 */
#include "as_windows.h"

#include <stdint.h>
#include <string.h>

enum { STUB_BYTES = 40, PLACE_BYTES = 64, PLACES = 4096, MODULES = 2 };

struct place {
    uint8_t jump[6]; /* jmp [target] */
    uint8_t target[8];
    uint8_t unused[2];
    uint8_t stub[STUB_BYTES + 8];
};
_Static_assert(sizeof(struct place) == PLACE_BYTES, "one beside the other");

enum shape { NEAR_JUMP, JUMP_BY_MEMORY, MOVE_RAX, MOVE_RAX_PUSH, MOVE_R11, PUSHES, SHAPES };

static struct near_places {
    HMODULE module;
    struct place *first;
    size_t used;
} places[MODULES];

static struct near_places *places_near(HMODULE module)
{
    enum { FIRST_TRY = 16 << 20, STEP = 1 << 20, REACH = 1 << 30 };

    for (int i = 0; i < MODULES; i++) {
        struct near_places *here = &places[i];

        if (here->module == module)
            return here;
        if (here->module)
            continue;
        here->module = module;
        for (uintptr_t off = FIRST_TRY; off < REACH && !here->first; off += STEP)
            here->first = VirtualAlloc((void *)(((uintptr_t)module + off) & ~(uintptr_t)0xFFFF),
                                       PLACES * sizeof *here->first, MEM_RESERVE | MEM_COMMIT,
                                       PAGE_EXECUTE_READWRITE);
        if (!here->first)
            as_windows_ends("there is no memory near a module", "");
        return here;
    }
    as_windows_ends("there are more modules than places", "");
}

static bool is_usual(const uint8_t *code)
{
    static const uint8_t head[] = {0x4C, 0x8B, 0xD1, 0xB8};
    static const uint8_t test[] = {0xF6, 0x04, 0x25, 0x08, 0x03, 0xFE, 0x7F, 0x01};

    return (uintptr_t)code % 8 == 0 && memcmp(code, head, sizeof head) == 0 &&
           memcmp(code + 8, test, sizeof test) == 0;
}

static void put_near(uint8_t *bytes, size_t at, const uint8_t *stub, size_t end, const void *to)
{
    int32_t distance = (int32_t)((const uint8_t *)to - (stub + end));

    memcpy(bytes + at, &distance, sizeof distance);
}

static size_t shape_bytes(enum shape shape, uint8_t *bytes, const uint8_t *stub,
                          const struct place *place)
{
    uint32_t low, high;

    memcpy(&low, place->target, sizeof low);
    memcpy(&high, place->target + 4, sizeof high);
    switch (shape) {
    case NEAR_JUMP:
        bytes[0] = 0xE9;
        put_near(bytes, 1, stub, 5, place->jump);
        return 5;
    case JUMP_BY_MEMORY:
        memcpy(bytes, "\xFF\x25", 2);
        put_near(bytes, 2, stub, 6, place->target);
        return 6;
    case MOVE_RAX:
    case MOVE_RAX_PUSH:
        memcpy(bytes, "\x48\xB8", 2);
        memcpy(bytes + 2, place->target, 8);
        memcpy(bytes + 10, shape == MOVE_RAX ? "\xFF\xE0" : "\x50\xC3", 2);
        return 12;
    case MOVE_R11:
        memcpy(bytes, "\x49\xBB", 2);
        memcpy(bytes + 2, place->target, 8);
        memcpy(bytes + 10, "\x41\xFF\xE3", 3);
        return 13;
    case PUSHES:
        bytes[0] = 0x68;
        memcpy(bytes + 1, &low, 4);
        memcpy(bytes + 5, "\xC7\x44\x24\x04", 4);
        memcpy(bytes + 9, &high, 4);
        bytes[13] = 0xC3;
        return 14;
    default:
        return 0;
    }
}

static struct place *place_of(HMODULE module, const uint8_t *stub)
{
    struct near_places *here = places_near(module);

    if (!stub || !is_usual(stub) || here->used == PLACES)
        return NULL;
    struct place *place = &here->first[here->used++];
    memcpy(place->stub, stub, STUB_BYTES);
    return place;
}

void *stub_copy(HMODULE module, const char *name)
{
    struct place *place =
        place_of(module, (const uint8_t *)(uintptr_t)GetProcAddress(module, name));

    return place ? place->stub : NULL;
}

void *stub_lead(HMODULE module, const char *name, void *instead)
{
    static unsigned turn;
    uint8_t *stub = (uint8_t *)(uintptr_t)GetProcAddress(module, name), bytes[STUB_BYTES];
    struct place *place = place_of(module, stub);
    DWORD before;

    if (!place)
        return NULL;
    void *target = instead ? instead : place->stub;
    memcpy(place->jump, "\xFF\x25\0\0\0\0", sizeof place->jump);
    memcpy(place->target, &target, sizeof place->target);
    size_t length = shape_bytes((enum shape)(turn++ % SHAPES), bytes, stub, place);
    if (!VirtualProtect(stub, length, PAGE_EXECUTE_READWRITE, &before))
        as_windows_ends("code cannot be changed: ", name);
    memcpy(stub, bytes, length);
    VirtualProtect(stub, length, before, &before);
    return place->stub;
}

void stubs_lead_all(HMODULE module)
{
    const char *base = (const char *)module;
    const IMAGE_NT_HEADERS *headers =
        (const void *)(base + ((const IMAGE_DOS_HEADER *)base)->e_lfanew);
    const IMAGE_EXPORT_DIRECTORY *exports =
        (const void *)(base + headers->OptionalHeader.DataDirectory[0].VirtualAddress);
    const DWORD *names = (const void *)(base + exports->AddressOfNames);

    for (DWORD i = 0; i < exports->NumberOfNames; i++)
        if (strncmp(base + names[i], "Nt", 2) == 0)
            stub_lead(module, base + names[i], NULL);
}

void stubs_of_strangers(void)
{
    static const char *const names[] = {"NtNotifyChangeKey",
                                        "NtNotifyChangeMultipleKeys",
                                        "NtAlpcSendWaitReceivePort",
                                        "NtFlushBuffersFile",
                                        "NtCreateUserProcess",
                                        "NtSetThreadExecutionState",
                                        "NtClose",
                                        "NtSetEvent",
                                        "NtReleaseSemaphore"};
    static const uint8_t first[] = {0x49, 0x89, 0xCA}; /* mov r10, rcx, in other words */

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint8_t *stub = (void *)(uintptr_t)GetProcAddress(GetModuleHandleW(L"ntdll.dll"), names[i]);
        DWORD before;

        if (!stub || !is_usual(stub))
            continue; /* it has none, or another one than the system's */
        if (!VirtualProtect(stub, sizeof first, PAGE_EXECUTE_READWRITE, &before))
            as_windows_ends("code cannot be changed: ", names[i]);
        memcpy(stub, first, sizeof first);
        VirtualProtect(stub, sizeof first, before, &before);
    }
}
