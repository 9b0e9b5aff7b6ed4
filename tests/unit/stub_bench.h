/* SPDX-License-Identifier: MIT
 *
 * stub_bench.h - system-call stubs in the exact layout of Windows 10 22H2 and 11, on a system that has neither, for the
 * Windows engine's hooks.
 *
 * A module is made by hand: headers, and a page of stubs 32 bytes apart with their padding. The byte at 7FFE0308h
 * that stubs test is mapped. `syscall` in the module is caught by syscall user dispatch, `int 2Eh` by its fault,
 * and both are answered by what the registers hold: an answer is right only if number and arguments arrived.
 * The engine's files are compiled as they are; stub_bench.c has the few functions of the system that they call.
 */
#ifndef UMSSHIM_TESTS_UNIT_STUB_BENCH_H
#define UMSSHIM_TESTS_UNIT_STUB_BENCH_H

#include "gtest_c.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <windows.h>

#include "platform/windows/os/hooks.h"

enum { STUBS = 16, SPACING = 32, PAGE = 4096, MODULE_BYTES = 1 << 16, FIRST_NUMBER = 0x1f0 };
/* Low, so that all of the C library's system calls are made above. */
#define MODULE ((uint8_t *)0x10000000)
#define SHARED_DATA ((uint8_t *)0x7FFE0000)
#define LIBRARIES 0x100000000ull

/* As functions are called on Windows. */
#define MS_ABI __attribute__((ms_abi))

typedef uint64_t(MS_ABI *stub_function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

/* Calls that the kernel got by `syscall`, by `int 2Eh`, from outside the module. */
extern _Atomic unsigned syscalls, interrupts, elsewhere;

/* How often code was made writable. */
extern unsigned opened;

uint8_t *stub_code(int i);
bool make_module(void);
/* Has the kernel's side of the bench answer the calling thread. A child does not inherit it. */
bool dispatch(void);
/* Calls the stub, and compares the answer. */
bool call_is_right(int i, uint64_t a);

/* Hooks of ours on the first stubs; their handlers count, and go on to the stub. */
enum { HOOKS = 4 };
extern struct hook hooks[HOOKS];
extern _Atomic unsigned handled;

#define BEGIN()                                                                                    \
    do {                                                                                           \
        if (!make_module())                                                                        \
            return;                                                                                \
        if (!dispatch())                                                                           \
            SKIP("no syscall user dispatch here (Linux 5.11 has it)");                             \
    } while (0)

#endif
