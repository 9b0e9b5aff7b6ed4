/* SPDX-License-Identifier: MIT
 *
 * stub_bench.c - see stub_bench.h.
 */
#include "gtest_c.h"
#include "stub_bench.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include <windows.h>

#include "platform/windows/os/hooks.h"
#include "platform/windows/os/system_images.h"
#include "platform/windows/os/trampolines.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

static const uint8_t layout[SPACING] = {0x4C, 0x8B, 0xD1,             /* mov r10, rcx */
                                        0xB8, 0,    0,    0,    0,    /* mov eax, number */
                                        0xF6, 0x04, 0x25, 0x08, 0x03, /* test byte [7FFE0308h], 1 */
                                        0xFE, 0x7F, 0x01,             /* */
                                        0x75, 0x03,                   /* jne +3 */
                                        0x0F, 0x05, 0xC3,             /* syscall; ret */
                                        0xCD, 0x2E, 0xC3,             /* int 2Eh; ret */
                                        0x0F, 0x1F, 0x84, 0,    0,    /* nop dword [rax+rax] */
                                        0,    0,    0};

static const char *const names[STUBS] = {"Nt0",  "Nt1",  "Nt2",  "Nt3", "Nt4",  "Nt5",
                                         "Nt6",  "Nt7",  "Nt8",  "Nt9", "Nt10", "Nt11",
                                         "Nt12", "Nt13", "Nt14", "Nt15"};
_Atomic unsigned syscalls, interrupts, elsewhere, handled;

uint8_t *stub_code(int i)
{
    return MODULE + PAGE + i * SPACING;
}

/* ---- The system --------------------------------------------------------------------------------- */

struct system_images system_images = {.ntdll = (HMODULE)MODULE};

void *system_function(HMODULE module, const char *name)
{
    for (int i = 0; i < STUBS; i++)
        if (strcmp(name, names[i]) == 0)
            return stub_code(i);
    return NULL;
}

HANDLE WINAPI GetCurrentProcess(void)
{
    return (HANDLE) ~(ULONG_PTR)0;
}

BOOL WINAPI FlushInstructionCache(HANDLE process, LPCVOID code, SIZE_T bytes)
{
    return TRUE;
}

/* All that is asked about: the module, and what lies after it. */
SIZE_T WINAPI VirtualQuery(LPCVOID address, PMEMORY_BASIC_INFORMATION to, SIZE_T bytes)
{
    uint8_t *at = (uint8_t *)((uintptr_t)address & ~(uintptr_t)(PAGE - 1));

    *to = (MEMORY_BASIC_INFORMATION){.BaseAddress = at, .RegionSize = PAGE, .State = MEM_COMMIT};
    to->Protect = PAGE_EXECUTE_READWRITE;
    unsigned char resident;
    if (mincore(at, PAGE, &resident) != 0) {
        to->State = MEM_FREE;
        to->RegionSize = 1 << 20;
    }
    return sizeof *to;
}

LPVOID WINAPI VirtualAlloc(LPVOID address, SIZE_T bytes, DWORD type, DWORD protect)
{
    void *pages = mmap(address, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

BOOL WINAPI VirtualFree(LPVOID address, SIZE_T bytes, DWORD type)
{
    return TRUE;
}

unsigned opened;

BOOL WINAPI VirtualProtect(LPVOID address, SIZE_T bytes, DWORD protect, PDWORD before)
{
    uintptr_t from = (uintptr_t)address & ~(uintptr_t)(PAGE - 1);
    uintptr_t to = ((uintptr_t)address + bytes + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    int flags =
        protect == PAGE_EXECUTE_READ ? PROT_READ | PROT_EXEC : PROT_READ | PROT_WRITE | PROT_EXEC;

    opened += protect == PAGE_EXECUTE_READWRITE;
    *before = PAGE_EXECUTE_READ;
    return mprotect((void *)from, to - from, flags) == 0;
}

/* ---- The kernel --------------------------------------------------------------------------------- */

static uint64_t answer(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return number ^ (a * 3 + b * 5 + c * 7 + d * 11);
}

static bool in_module(uintptr_t code)
{
    return code - (uintptr_t)MODULE < MODULE_BYTES;
}

static void on_trap(int signal, siginfo_t *info, void *frame)
{
    greg_t *registers = ((ucontext_t *)frame)->uc_mcontext.gregs;
    const uint8_t *code = (const uint8_t *)registers[REG_RIP];

    if (signal == SIGSEGV && (!in_module((uintptr_t)code) || memcmp(code, "\xCD\x2E", 2) != 0)) {
        static const char text[] = "stub_bench: a fault that is no int 2Eh in the module\n";
        (void)!write(2, text, sizeof text - 1);
        _exit(1);
    }
    if (signal == SIGSEGV) {
        registers[REG_RIP] += 2;
        interrupts++;
    } else {
        syscalls++;
        elsewhere += !in_module((uintptr_t)code); /* after the instruction */
    }
    registers[REG_RAX] = (greg_t)answer((uint32_t)registers[REG_RAX], (uint64_t)registers[REG_R10],
                                        (uint64_t)registers[REG_RDX], (uint64_t)registers[REG_R8],
                                        (uint64_t)registers[REG_R9]);
}

bool dispatch(void)
{
    static char block = 1; /* SYSCALL_DISPATCH_FILTER_BLOCK */

    return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, LIBRARIES,
                 (1ull << 47) - LIBRARIES, &block) == 0;
}

bool make_module(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    IMAGE_DOS_HEADER *dos =
        mmap(MODULE, MODULE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1, 0);
    void *shared = mmap(SHARED_DATA, PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);

    if (!EXPECT_OK(dos == (void *)MODULE) || !EXPECT_OK(shared == SHARED_DATA))
        return false;
    dos->e_lfanew = sizeof *dos;
    ((IMAGE_NT_HEADERS *)(dos + 1))->OptionalHeader.SizeOfImage = MODULE_BYTES;
    for (int i = 0; i < STUBS; i++) {
        uint32_t number = FIRST_NUMBER + (uint32_t)i;
        memcpy(stub_code(i), layout, sizeof layout);
        memcpy(stub_code(i) + 4, &number, sizeof number);
    }
    sigaction(SIGSYS, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    return true;
}

bool call_is_right(int i, uint64_t a)
{
    uint64_t result = ((stub_function)(void *)stub_code(i))(a, a + 1, a + 2, a + 3, a + 4);

    return result == answer(FIRST_NUMBER + (uint64_t)i, a, a + 1, a + 2, a + 3);
}

/* ---- Our hooks ---------------------------------------------------------------------------------- */

static void *originals[STUBS];

/* What a handler of the engine's does that has nothing to do, but for counting. */
#define HANDLER_OF(i)                                                                              \
    static MS_ABI uint64_t handler_##i(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e) \
    {                                                                                              \
        handled++;                                                                                 \
        return ((stub_function)originals[i])(a, b, c, d, e);                                       \
    }
HANDLER_OF(0)
HANDLER_OF(1)
HANDLER_OF(2)
HANDLER_OF(3)

struct hook hooks[HOOKS] = {
    {.name = "Nt0", .handler = (void *)handler_0, .original = &originals[0]},
    {.name = "Nt1", .handler = (void *)handler_1, .original = &originals[1]},
    {.name = "Nt2", .handler = (void *)handler_2, .original = &originals[2]},
    {.name = "Nt3", .handler = (void *)handler_3, .original = &originals[3]},
};
