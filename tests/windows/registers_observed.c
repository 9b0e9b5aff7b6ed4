/* SPDX-License-Identifier: MIT
 *
 * registers_observed.c - the registers of a worker that was suspended while it ran are read as they
 * are, and come back as they were.
 *
 * The hazard: they are not in the worker's kernel thread. Debuggers show what they get for the
 * truth, and garbage collectors free what they do not find in it.
 *
 * modes: default
 */
#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"

#include <stdint.h>

enum { CYCLES = 60 };

static volatile int spinning, stop_spinning;

/* Fills the registers from `pattern`, and turns until stop_spinning; returns how many changed. */
int spin_with(uint64_t pattern, volatile int *spin, volatile int *stop);

__asm__(".text\n"
        ".globl spin_with\n"
        ".def spin_with; .scl 2; .type 32; .endef\n"
        ".seh_proc spin_with\n"
        "spin_with:\n"
        " push %rbx\n .seh_pushreg %rbx\n push %rbp\n .seh_pushreg %rbp\n"
        " push %rsi\n .seh_pushreg %rsi\n push %rdi\n .seh_pushreg %rdi\n"
        " push %r12\n .seh_pushreg %r12\n push %r13\n .seh_pushreg %r13\n"
        " push %r14\n .seh_pushreg %r14\n push %r15\n .seh_pushreg %r15\n"
        " .seh_endprologue\n"
        " lea 1(%rcx), %rbx\n lea 2(%rcx), %rbp\n lea 3(%rcx), %rsi\n lea 4(%rcx), %rdi\n"
        " lea 5(%rcx), %r9\n lea 6(%rcx), %r10\n lea 7(%rcx), %r11\n lea 8(%rcx), %r12\n"
        " lea 9(%rcx), %r13\n lea 10(%rcx), %r14\n lea 11(%rcx), %r15\n"
        " movq %rcx, %xmm3\n"
        "1: incl (%rdx)\n cmpl $0, (%r8)\n je 1b\n"
        " xor %eax, %eax\n"
        " sub %rcx, %rbx\n cmp $1, %rbx\n je 2f\n inc %eax\n2:"
        " sub %rcx, %rbp\n cmp $2, %rbp\n je 2f\n inc %eax\n2:"
        " sub %rcx, %rsi\n cmp $3, %rsi\n je 2f\n inc %eax\n2:"
        " sub %rcx, %rdi\n cmp $4, %rdi\n je 2f\n inc %eax\n2:"
        " sub %rcx, %r9\n cmp $5, %r9\n je 2f\n inc %eax\n2:"
        " sub %rcx, %r10\n cmp $6, %r10\n je 2f\n inc %eax\n2:"
        " sub %rcx, %r11\n cmp $7, %r11\n je 2f\n inc %eax\n2:"
        " sub %rcx, %r12\n cmp $8, %r12\n je 2f\n inc %eax\n2:"
        " sub %rcx, %r13\n cmp $9, %r13\n je 2f\n inc %eax\n2:"
        " sub %rcx, %r14\n cmp $10, %r14\n je 2f\n inc %eax\n2:"
        " sub %rcx, %r15\n cmp $11, %r15\n je 2f\n inc %eax\n2:"
        " movq %xmm3, %r9\n cmp %rcx, %r9\n je 2f\n inc %eax\n2:"
        " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rdi\n pop %rsi\n pop %rbp\n pop %rbx\n"
        " ret\n"
        ".seh_endproc\n");

static const uint64_t pattern = 0x1122334455667700;

static DWORD WINAPI spin(LPVOID param)
{
    EXPECT_EQ(spin_with(pattern, &spinning, &stop_spinning), 0);
    return 0;
}

static void expect_pattern(const CONTEXT *seen)
{
    const DWORD64 registers[] = {seen->Rbx, seen->Rbp, seen->Rsi, seen->Rdi, seen->R9, seen->R10,
                                 seen->R11, seen->R12, seen->R13, seen->R14, seen->R15};

    for (unsigned i = 0; i < sizeof registers / sizeof registers[0]; i++)
        EXPECT_EQ(registers[i], pattern + i + 1);
    EXPECT_EQ(seen->Rcx, pattern);
    EXPECT_EQ(seen->Rdx, (uintptr_t)&spinning);
    EXPECT_EQ(seen->R8, (uintptr_t)&stop_spinning);
    EXPECT_EQ(seen->Xmm3.Low, pattern);
    EXPECT_OK(seen->Rip >= (uintptr_t)spin_with && seen->Rip < (uintptr_t)spin_with + 500);
}

TEST(RegistersObserved, of_a_worker_that_ran)
{
    struct loose scheduler = {0};
    struct loose_worker *worker;

    spinning = stop_spinning = 0;
    ASSERT_OK(loose_start(&scheduler, NULL));
    worker = loose_add(&scheduler, spin, NULL, 0);
    ASSERT_OK(worker != NULL);
    for (int i = 0; i < CYCLES && !tc_failures(); i++) {
        CONTEXT seen = {.ContextFlags = CONTEXT_FULL};
        ULONGLONG deadline = GetTickCount64() + 5000;
        int before = spinning;

        while (spinning == before && GetTickCount64() < deadline)
            SwitchToThread();
        EXPECT_NE(spinning, before);
        EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
        if (i % 2) /* the call itself waits until the thread has stopped */
            ASSERT_OK(loose_suspended(worker));
        ASSERT_OK(GetThreadContext(worker->bare.thread, &seen));
        expect_pattern(&seen);
        EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
    }
    stop_spinning = 1;
    EXPECT_OK(loose_finish(&scheduler));
}
