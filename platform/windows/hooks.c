/* SPDX-License-Identifier: MIT
 *
 * hooks.c - see hooks.h.
 */
#include "platform/windows/hooks.h"

#include <string.h>
#include <windows.h>

#include "platform/check.h"

/* What lies in the near page for each hook. It is never given back: a thread may be inside. */
struct relay {
    uint8_t stub[32];
    uint8_t jump[6]; /* jmp *0(%rip) */
    uint8_t target[8];
    uint8_t unused[18];
};
_Static_assert(sizeof(struct relay) == 64, "relays keep to cache lines");
enum { RELAYS = 4096 / sizeof(struct relay) };

/* Every page there was: a thread may be in any of them. */
enum { PAGES = 8 };
static uintptr_t pages[PAGES];
static unsigned page_count;

bool hooks_hold(const void *code)
{
    for (unsigned i = 0; i < page_count; i++)
        if ((uintptr_t)code - pages[i] < 4096)
            return true;
    return false;
}

static struct relay *relays;
static unsigned used;
static bool failed, sealed;

/* mov r10, rcx; mov eax, number; test byte ptr [7FFE0308h], 1; jne +3; syscall; ret */
static bool is_stub(const uint8_t *code)
{
    static const uint8_t head[] = {0x4C, 0x8B, 0xD1, 0xB8};
    static const uint8_t middle[] = {0x00, 0x00, 0xF6, 0x04, 0x25, 0x08, 0x03, 0xFE,
                                     0x7F, 0x01, 0x75, 0x03, 0x0F, 0x05, 0xC3};
    /* int 2Eh; ret */
    static const uint8_t windows_tail[] = {0xCD, 0x2E, 0xC3};
    /* jmp +1; ret; call [7FFE1000h]; ret: as Wine has it */
    static const uint8_t wine_tail[] = {0xEB, 0x01, 0xC3, 0xFF, 0x14, 0x25,
                                        0x00, 0x10, 0xFE, 0x7F, 0xC3};
    return (uintptr_t)code % 8 == 0 && memcmp(code, head, sizeof head) == 0 &&
           memcmp(code + 6, middle, sizeof middle) == 0 &&
           (memcmp(code + 21, windows_tail, sizeof windows_tail) == 0 ||
            memcmp(code + 21, wine_tail, sizeof wine_tail) == 0);
}

static enum hook_state prepare(struct hook *hook, HMODULE ntdll)
{
    uint8_t *code = (uint8_t *)(uintptr_t)GetProcAddress(ntdll, hook->name);
    *hook->original = code;
    if (!code)
        return HOOK_MISSING;
    if (!is_stub(code))
        return HOOK_FOREIGN;
    if (!relays && !failed) {
        const IMAGE_NT_HEADERS *headers =
            (void *)((char *)ntdll + ((IMAGE_DOS_HEADER *)ntdll)->e_lfanew);
        uintptr_t base = (uintptr_t)ntdll;
        relays = near_page(base, base + headers->OptionalHeader.SizeOfImage, false);
        failed = !relays || page_count == PAGES;
        if (!failed)
            pages[page_count++] = (uintptr_t)relays;
    }
    if (failed || used == RELAYS)
        return HOOK_FAR;
    struct relay *relay = &relays[used++];
    static const uint8_t jump[] = {0xFF, 0x25, 0, 0, 0, 0};
    memcpy(relay->stub, code, sizeof relay->stub);
    memcpy(relay->jump, jump, sizeof jump);
    memcpy(relay->target, &hook->handler, sizeof relay->target);

    uint8_t bytes[8];
    int32_t distance = (int32_t)((intptr_t)relay->jump - (intptr_t)(code + 8));
    hook->stub = (uint64_t *)code;
    memcpy(&hook->before, code, 8);
    memcpy(bytes, code, 3);
    bytes[3] = 0xE9;
    memcpy(bytes + 4, &distance, sizeof distance);
    memcpy(&hook->after, bytes, 8);
    *hook->original = relay->stub;
    return HOOK_NONE;
}

static bool replace(uint64_t *stub, uint64_t expected, uint64_t bytes)
{
    DWORD before, unused;
    if (!VirtualProtect(stub, 8, PAGE_EXECUTE_READWRITE, &before))
        return false;
    bool done = __atomic_compare_exchange_n(stub, &expected, bytes, false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST);
    VirtualProtect(stub, 8, before, &unused);
    FlushInstructionCache(GetCurrentProcess(), stub, 8);
    return done;
}

int hooks_install(struct hook *hooks, size_t count)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    int refused = 0;
    if (sealed) { /* one page, filled once */
        relays = NULL;
        used = 0;
        sealed = false;
    }
    for (size_t i = 0; i < count; i++)
        hooks[i].state = prepare(&hooks[i], ntdll);
    if (relays)
        sealed = near_page_seal(relays);
    for (size_t i = 0; i < count; i++) {
        struct hook *hook = &hooks[i];
        if (hook->state == HOOK_NONE)
            hook->state = sealed && replace(hook->stub, hook->before, hook->after) ? HOOK_APPLIED
                                                                                   : HOOK_FORBIDDEN;
        if (hook->state != HOOK_APPLIED && hook->state != HOOK_MISSING) {
            if (hook->state == HOOK_FORBIDDEN)
                *hook->original = hook->stub;
            refused++;
        }
    }
    return refused;
}

void hooks_remove(struct hook *hooks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (hooks[i].state == HOOK_APPLIED &&
            replace(hooks[i].stub, hooks[i].after, hooks[i].before))
            hooks[i].state = HOOK_NONE;
}

const char *hook_state_text(enum hook_state state)
{
    switch (state) {
    case HOOK_NONE:
        return "not applied";
    case HOOK_APPLIED:
        return "applied";
    case HOOK_MISSING:
        return "not there";
    case HOOK_FOREIGN:
        return "refused: its code is not the usual";
    case HOOK_FORBIDDEN:
        return "refused: code may not be changed";
    case HOOK_FAR:
        return "refused: no memory in reach";
    }
    return "?";
}
