/* SPDX-License-Identifier: MIT
 *
 * registers_across_switch.c - a yield and a block keep the registers that the calling convention
 * has a function keep: rbx, rbp, r12 to r15, the stack pointer, MXCSR and the x87 control word; a
 * block keeps the vector registers too, as a system call does (EX-14).
 *
 * modes: default, UMSSHIM_FSGSBASE=0
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Loads the six callee-saved registers from `seed`, calls call(argument) and returns how many of
 * them (and of the stack pointer) changed. */
long changed_registers(void (*call)(void *), void *argument, uint64_t seed);

__asm__(".text\n"
        ".type changed_registers, @function\n"
        "changed_registers:\n"
        "    push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
        "    push %rdx\n" /* the seed; the stack is aligned again */
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    lea 1(%rdx), %rbx\n lea 2(%rdx), %rbp\n lea 3(%rdx), %r12\n"
        "    lea 4(%rdx), %r13\n lea 5(%rdx), %r14\n lea 6(%rdx), %r15\n"
        "    call *%rax\n"
        "    mov (%rsp), %rdx\n"
        "    xor %eax, %eax\n"
        "    sub %rdx, %rbx\n cmp $1, %rbx\n je 1f\n inc %rax\n"
        "1:  sub %rdx, %rbp\n cmp $2, %rbp\n je 1f\n inc %rax\n"
        "1:  sub %rdx, %r12\n cmp $3, %r12\n je 1f\n inc %rax\n"
        "1:  sub %rdx, %r13\n cmp $4, %r13\n je 1f\n inc %rax\n"
        "1:  sub %rdx, %r14\n cmp $5, %r14\n je 1f\n inc %rax\n"
        "1:  sub %rdx, %r15\n cmp $6, %r15\n je 1f\n inc %rax\n"
        "1:  pop %rdx\n"
        "    pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
        "    ret\n"
        ".size changed_registers, . - changed_registers\n");

static void yield(void *param)
{
    UmsThreadYield(param);
}

static void block(void *param)
{
    struct timespec duration = {0, 200000};

    nanosleep(&duration, NULL);
}

static void check_integers(struct worker *self)
{
    for (int i = 0; i < 60; i++) {
        uint64_t seed = (uint64_t)(self->index + 1) * 0x0101010101010101ull + (uint64_t)i;

        EXPECT_EQ(changed_registers(i % 3 == 2 ? block : yield, NULL, seed), 0);
    }
}

static uint16_t x87_control(void)
{
    uint16_t word;

    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

static void check_control_words(struct worker *self)
{
    uint16_t x87 = self->index % 2 ? 0x0f7f : 0x027f;
    uint32_t mxcsr = self->index % 2 ? 0x7f80 : 0x9fc0;
    uint32_t seen;

    for (int i = 0; i < 60; i++) {
        __asm__ volatile("fldcw %0" ::"m"(x87));
        __asm__ volatile("ldmxcsr %0" ::"m"(mxcsr));
        (i % 3 == 2 ? block : yield)(NULL);
        __asm__ volatile("stmxcsr %0" : "=m"(seen));
        EXPECT_EQ(seen & ~0x3fu, mxcsr & ~0x3fu);
        EXPECT_EQ(x87_control(), x87);
    }
}

/* A system call keeps everything but rax, rcx and r11; one that blocks is no different. */
static void check_vectors(struct worker *self)
{
    struct timespec duration = {0, 200000};

    for (int i = 0; i < 20; i++) {
        uint64_t in[4] = {(uint64_t)self->index, (uint64_t)i, 0x1234, ~0ull};
        uint64_t out[4] = {0};
        long result;

        __asm__ volatile("movdqu (%[in]), %%xmm0\n movdqu 16(%[in]), %%xmm15\n"
                         "mov %[number], %%eax\n xor %%esi, %%esi\n"
                         "syscall\n"
                         "movdqu %%xmm0, (%[out])\n movdqu %%xmm15, 16(%[out])\n"
                         : "=&a"(result)
                         : [in] "r"(in), [out] "r"(out), [number] "i"(SYS_nanosleep), "D"(&duration)
                         : "rcx", "r11", "rsi", "xmm0", "xmm15", "memory");
        EXPECT_EQ(result, 0);
        EXPECT_EQ(memcmp(in, out, sizeof in), 0);
    }
}

/* The red zone below the stack pointer belongs to leaf code, also over a blocking system call. */
static void check_red_zone(struct worker *self)
{
    struct timespec duration = {0, 200000};

    for (int i = 0; i < 20; i++) {
        uint64_t value = (uint64_t)self->index * 1000 + (uint64_t)i;
        uint64_t top;
        uint64_t bottom;
        long result;

        __asm__ volatile("sub $128, %%rsp\n" /* past the compiler's own red zone */
                         "mov %[value], -8(%%rsp)\n mov %[value], -128(%%rsp)\n"
                         "mov %[number], %%eax\n xor %%esi, %%esi\n"
                         "syscall\n"
                         "mov -8(%%rsp), %[top]\n mov -128(%%rsp), %[bottom]\n"
                         "add $128, %%rsp\n"
                         : "=&a"(result), [top] "=&r"(top), [bottom] "=&r"(bottom)
                         : [value] "r"(value), [number] "i"(SYS_nanosleep), "D"(&duration)
                         : "rcx", "r11", "rsi", "memory", "cc");
        EXPECT_EQ(result, 0);
        EXPECT_EQ(top, value);
        EXPECT_EQ(bottom, value);
    }
}

static void run(worker_body body, int schedulers)
{
    FLEET_RUN(schedulers, FLEET_SHARED_READY, {6, body, NULL});
}

CALL_TEST(RegistersAcrossSwitch, integer_registers, run(check_integers, 1))
CALL_TEST(RegistersAcrossSwitch, integer_registers_with_migration, run(check_integers, 2))
CALL_TEST(RegistersAcrossSwitch, control_words, run(check_control_words, 1))
CALL_TEST(RegistersAcrossSwitch, control_words_with_migration, run(check_control_words, 2))
CALL_TEST(RegistersAcrossSwitch, vector_registers_over_a_block, run(check_vectors, 2))
CALL_TEST(RegistersAcrossSwitch, red_zone_over_a_block, run(check_red_zone, 2))
