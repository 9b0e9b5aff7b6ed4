/* SPDX-License-Identifier: MIT
 *
 * registers.c - what Win64's calling convention lets a function keep, a yield, a block and a move
 * keep: eight integer registers, xmm6 to xmm15, MXCSR's and the x87 unit's control bits (EX-14).
 *
 * The hazard: a switch in user mode that forgets one, where a kernel's never does.
 *
 * modes: default
 */
#include "gtest_c.h"
#include "moving.h"

#include <stdint.h>
#include <string.h>

enum { ROUNDS = 60, WORKERS = 4 };

struct held {
    uint64_t integers[8]; /* rbx rbp rsi rdi r12 r13 r14 r15 */
    uint8_t vectors[10][16];
};

/* Loads the registers, calls call(argument), and writes back what is in them then. */
void hold_registers(void (*call)(void *), void *argument, struct held *held);

__asm__(".text\n"
        ".globl hold_registers\n"
        ".def hold_registers; .scl 2; .type 32; .endef\n"
        ".seh_proc hold_registers\n"
        "hold_registers:\n"
        " push %rbx\n .seh_pushreg %rbx\n push %rbp\n .seh_pushreg %rbp\n"
        " push %rsi\n .seh_pushreg %rsi\n push %rdi\n .seh_pushreg %rdi\n"
        " push %r12\n .seh_pushreg %r12\n push %r13\n .seh_pushreg %r13\n"
        " push %r14\n .seh_pushreg %r14\n push %r15\n .seh_pushreg %r15\n"
        " sub $200, %rsp\n .seh_stackalloc 200\n" /* 32 for the callee, ours at 32, xmm from 40 */
        " .seh_endprologue\n"
        " mov %r8, 32(%rsp)\n"
        " movups %xmm6, 40(%rsp)\n movups %xmm7, 56(%rsp)\n movups %xmm8, 72(%rsp)\n"
        " movups %xmm9, 88(%rsp)\n movups %xmm10, 104(%rsp)\n movups %xmm11, 120(%rsp)\n"
        " movups %xmm12, 136(%rsp)\n movups %xmm13, 152(%rsp)\n movups %xmm14, 168(%rsp)\n"
        " movups %xmm15, 184(%rsp)\n"
        " mov %rcx, %rax\n mov %rdx, %rcx\n"
        " mov (%r8), %rbx\n mov 8(%r8), %rbp\n mov 16(%r8), %rsi\n mov 24(%r8), %rdi\n"
        " mov 32(%r8), %r12\n mov 40(%r8), %r13\n mov 48(%r8), %r14\n mov 56(%r8), %r15\n"
        " movups 64(%r8), %xmm6\n movups 80(%r8), %xmm7\n movups 96(%r8), %xmm8\n"
        " movups 112(%r8), %xmm9\n movups 128(%r8), %xmm10\n movups 144(%r8), %xmm11\n"
        " movups 160(%r8), %xmm12\n movups 176(%r8), %xmm13\n movups 192(%r8), %xmm14\n"
        " movups 208(%r8), %xmm15\n"
        " call *%rax\n"
        " mov 32(%rsp), %r8\n"
        " mov %rbx, (%r8)\n mov %rbp, 8(%r8)\n mov %rsi, 16(%r8)\n mov %rdi, 24(%r8)\n"
        " mov %r12, 32(%r8)\n mov %r13, 40(%r8)\n mov %r14, 48(%r8)\n mov %r15, 56(%r8)\n"
        " movups %xmm6, 64(%r8)\n movups %xmm7, 80(%r8)\n movups %xmm8, 96(%r8)\n"
        " movups %xmm9, 112(%r8)\n movups %xmm10, 128(%r8)\n movups %xmm11, 144(%r8)\n"
        " movups %xmm12, 160(%r8)\n movups %xmm13, 176(%r8)\n movups %xmm14, 192(%r8)\n"
        " movups %xmm15, 208(%r8)\n"
        " movups 40(%rsp), %xmm6\n movups 56(%rsp), %xmm7\n movups 72(%rsp), %xmm8\n"
        " movups 88(%rsp), %xmm9\n movups 104(%rsp), %xmm10\n movups 120(%rsp), %xmm11\n"
        " movups 136(%rsp), %xmm12\n movups 152(%rsp), %xmm13\n movups 168(%rsp), %xmm14\n"
        " movups 184(%rsp), %xmm15\n"
        " add $200, %rsp\n"
        " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rdi\n pop %rsi\n pop %rbp\n pop %rbx\n"
        " ret\n"
        ".seh_endproc\n");

static void yield(void *param)
{
    UmsThreadYield(param);
}

static void block(void *param)
{
    Sleep(1);
}

static void move(void *param)
{
    move_on(param);
}

static void (*const calls[])(void *) = {yield, block, move};

static void keep_registers(struct worker *self)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        struct held held, seen;

        for (int j = 0; j < 8; j++)
            held.integers[j] = 0x0101010101010101u * (unsigned)(self->index + 1) + (unsigned)j;
        memset(held.vectors, 0x10 * (self->index + 1), sizeof held.vectors);
        for (int j = 0; j < 10; j++)
            held.vectors[j][15] = (uint8_t)j;
        seen = held;
        hold_registers(calls[i % 3], self, &seen);
        for (int j = 0; j < 8; j++)
            EXPECT_EQ(seen.integers[j], held.integers[j]);
        for (int j = 0; j < 10; j++) {
            EXPECT_THAT(memcmp(seen.vectors[j], held.vectors[j], 16) == 0, "xmm%d, call %d", j + 6,
                        i % 3);
        }
    }
}

TEST(Registers, non_volatile_on_one_scheduler)
{
    ASSERT_OK(run_moving(1, WORKERS, keep_registers, NULL, NULL));
}

TEST(Registers, non_volatile_on_two_schedulers)
{
    ASSERT_OK(run_moving(2, WORKERS, keep_registers, NULL, NULL));
}

static uint16_t x87_control(void)
{
    uint16_t word;

    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

static uint32_t sse_control(void)
{
    uint32_t word;

    __asm__ volatile("stmxcsr %0" : "=m"(word));
    return word & ~0x3fu; /* without the sticky flags, which are volatile */
}

static double third(void)
{
    volatile double one = 1, three = 3;

    return one / three;
}

static void keep_modes(struct worker *self)
{
    static const uint16_t x87[WORKERS] = {0x037f, 0x0f7f, 0x027f, 0x0b7f};
    static const uint32_t sse[WORKERS] = {0x1f80, 0x7f80, 0x9fc0, 0x5f80};
    uint16_t x87_before = x87_control();
    uint32_t sse_before = sse_control();
    double mine;

    __asm__ volatile("fldcw %0" ::"m"(x87[self->index]));
    __asm__ volatile("ldmxcsr %0" ::"m"(sse[self->index]));
    mine = third();
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        step_aside(self, i);
        EXPECT_EQ(x87_control(), x87[self->index]);
        EXPECT_EQ(sse_control(), sse[self->index]);
        EXPECT_OK(third() == mine);
    }
    __asm__ volatile("fldcw %0" ::"m"(x87_before));
    __asm__ volatile("ldmxcsr %0" ::"m"(sse_before));
}

/* The system starts threads with one x87 word, C runtimes give the first another. */
static __thread uint16_t x87_of_scheduler;
static __thread uint32_t sse_of_scheduler;

static void schedulers_modes(const struct activation *activation, void *arg)
{
    if (activation->reason == UmsSchedulerStartup) {
        x87_of_scheduler = x87_control();
        sse_of_scheduler = sse_control();
    }
    EXPECT_EQ(x87_control(), x87_of_scheduler);
    EXPECT_EQ(sse_control(), sse_of_scheduler);
}

TEST(Registers, control_words)
{
    uint16_t x87 = x87_control();
    uint32_t sse = sse_control();

    ASSERT_OK(run_moving(2, WORKERS, keep_modes, NULL, schedulers_modes));
    EXPECT_EQ(x87_control(), x87);
    EXPECT_EQ(sse_control(), sse);
}
