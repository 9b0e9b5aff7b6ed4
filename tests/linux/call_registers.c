/* SPDX-License-Identifier: MIT
 *
 * call_registers.c - the processor's extended state across workers' calls that are redirected to
 * the library from within libc. The library keeps that state in several forms, by how much of the
 * registers is in use, and whether x87 is. The test has each form.
 *
 * Two workers talk through pipes. Each call is made with registers full of its own values. So a
 * register that the library does not restore has the other worker's value, or the scheduler's.
 *
 * modes: default
 */
#include "block_case.h"
#include "fleet.h"
#include "gtest_c.h"

#include <cpuid.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* libc's own: the library has one before it. */
void *libcs_own_syscall;

static __attribute__((constructor)) void find_syscall(void)
{
    libcs_own_syscall =
        dlvsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "syscall", "GLIBC_2.2.5");
}

enum form { NARROW, /* 16 bytes of each */ MIDDLE, /* 32 */ WIDE, /* 64 */ FORMS };

struct state {
    unsigned char vector[32][64];
    uint64_t mask[8];
    uint32_t mxcsr;
    uint16_t x87_word, x87_status;
    uint32_t unused[2];
};

struct trial {
    long call[4]; /* number, three arguments */
    long form, x87, wide;
    long result;
    struct state before, after;
    double x87_value;
};
_Static_assert(offsetof(struct trial, before) == 64 && offsetof(struct state, mask) == 2048 &&
                   offsetof(struct state, mxcsr) == 2112 && sizeof(struct state) == 2128 &&
                   offsetof(struct trial, after) == 64 + 2128 &&
                   offsetof(struct trial, x87_value) == 64 + 2 * 2128,
               "call_with relies on this layout");

/* Loads `before` as the form says, calls, stores all there is in `after`. */
void call_with(struct trial *trial);

__asm__(".text\n"
        ".type call_with, @function\n"
        "call_with:\n"
        "    push %rbx\n"
        "    mov %rdi, %rbx\n"
        "    fninit\n"
        "    cmpq $0, 40(%rbx)\n je 1f\n"
        "    fldl 64+2*2128(%rbx)\n"
        "1:  ldmxcsr 64+2112(%rbx)\n"
        "    vzeroall\n"
        "    cmpq $0, 48(%rbx)\n je 2f\n"
        "    .irp n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "    vmovdqu64 64+64*\\n(%rbx), %zmm\\n\n"
        "    .endr\n"
        "    .irp n, 0,1,2,3,4,5,6,7\n"
        "    kmovq 64+2048+8*\\n(%rbx), %k\\n\n"
        "    .endr\n"
        "2:  cmpq $1, 32(%rbx)\n je 4f\n jg 5f\n"
        "    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "    movups 64+64*\\n(%rbx), %xmm\\n\n"
        "    .endr\n"
        "    jmp 6f\n"
        "4:  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "    vmovups 64+64*\\n(%rbx), %ymm\\n\n"
        "    .endr\n"
        "    jmp 6f\n"
        "5:  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "    vmovups 64+64*\\n(%rbx), %zmm\\n\n"
        "    .endr\n"
        "6:  mov 0(%rbx), %rdi\n mov 8(%rbx), %rsi\n mov 16(%rbx), %rdx\n mov 24(%rbx), %rcx\n"
        "    call *libcs_own_syscall(%rip)\n"
        "    mov %rax, 56(%rbx)\n"
        "    lea 64+2128(%rbx), %rax\n"
        "    cmpq $0, 48(%rbx)\n je 7f\n"
        "    .irp n, "
        "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "    vmovdqu64 %zmm\\n, 64*\\n(%rax)\n"
        "    .endr\n"
        "    .irp n, 0,1,2,3,4,5,6,7\n"
        "    kmovq %k\\n, 2048+8*\\n(%rax)\n"
        "    .endr\n"
        "    jmp 8f\n"
        "7:  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "    vmovups %ymm\\n, 64*\\n(%rax)\n"
        "    .endr\n"
        "8:  stmxcsr 2112(%rax)\n"
        "    fnstcw 2116(%rax)\n"
        "    fnstsw 2118(%rax)\n"
        "    vzeroupper\n"
        "    cmpq $0, 40(%rbx)\n je 9f\n"
        "    fstpl 64+2*2128(%rbx)\n"
        "9:  fninit\n"
        "    movl $0x1f80, -8(%rsp)\n ldmxcsr -8(%rsp)\n"
        "    pop %rbx\n"
        "    ret\n"
        ".size call_with, . - call_with\n");

static bool has_avx, has_512;

/* What the registers hold: of each the bytes that the form has, the rest is zero. */
static void fill(struct trial *trial, int seed, enum form form, bool x87)
{
    static const int bytes[] = {[NARROW] = 16, [MIDDLE] = 32, [WIDE] = 64};

    memset(trial, 0, sizeof *trial);
    trial->form = form;
    trial->x87 = x87;
    trial->wide = has_512;
    for (int n = 0; n < (has_512 ? 32 : 16); n++)
        for (int i = 0; i < (n < 16 ? bytes[form] : 64); i++)
            trial->before.vector[n][i] = (unsigned char)(seed * 41 + n * 7 + i + 1);
    for (int n = 0; n < 8 && has_512; n++)
        trial->before.mask[n] = (uint64_t)seed * 0x123456789 + (uint64_t)n;
    trial->before.mxcsr = 0x1f80 | (uint32_t)(seed % 4) << 13 | 0x20 >> seed % 3;
    trial->x87_value = 1.5 + seed;
}

static void check(const struct trial *trial, int seed)
{
    enum { TOP_IS_7 = 0x3800 };
    EXPECT_EQ(trial->result, 1);
    for (int n = 0; n < 32; n++)
        EXPECT_EQ(memcmp(trial->before.vector[n], trial->after.vector[n], 64), 0);
    EXPECT_EQ(memcmp(trial->before.mask, trial->after.mask, sizeof trial->before.mask), 0);
    EXPECT_EQ(trial->after.mxcsr, trial->before.mxcsr);
    EXPECT_EQ(trial->after.x87_word, 0x37f);
    EXPECT_EQ(trial->after.x87_status & 0x3fff, trial->x87 ? TOP_IS_7 : 0);
    EXPECT_NE(trial->x87_value == 1.5 + seed, 0);
}

static void call(long number, int fd, char *byte, int seed, enum form form, bool x87)
{
    struct trial trial;
    long values[] = {number, fd, (long)byte, 1};

    fill(&trial, seed, form, x87);
    memcpy(trial.call, values, sizeof values);
    call_with(&trial);
    check(&trial, seed);
}

struct talk {
    int there[2], back[2];
};

enum { ROUNDS = 240 };

static enum form form_of(int i)
{
    return (enum form)(i % (has_512 ? FORMS : WIDE));
}

/* One worker asks and the other answers, each in a form that changes with every round. They change
 * at different steps, so each form meets each of the other worker. */
static void ask(struct worker *self)
{
    struct talk *talk = self->arg;
    char byte = 'q';

    for (int i = 0; i < ROUNDS; i++) {
        call(SYS_write, talk->there[1], &byte, 2 * i, form_of(i), i % 4 > 1);
        call(SYS_read, talk->back[0], &byte, 2 * i, form_of(i), i % 4 > 1);
    }
}

static void answer(struct worker *self)
{
    struct talk *talk = self->arg;
    char byte;

    for (int i = 0; i < ROUNDS; i++) {
        call(SYS_read, talk->there[0], &byte, 2 * i + 1, form_of(i / 3), i % 8 > 3);
        call(SYS_write, talk->back[1], &byte, 2 * i + 1, form_of(i / 3), i % 8 > 3);
    }
}

TEST(CallRegisters, are_kept_in_every_form)
{
    struct talk talk;
    struct fleet *fleet = fleet_create(1, 2, 0);
    uint32_t low = 0, high, a, b, c, d;

    if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE)
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    has_avx = low & 4;
    has_512 = low & 0x80 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_AVX512BW;
    printf("registers of %d bytes\n", has_512 ? 64 : has_avx ? 32 : 16);
    ASSERT_NE(has_avx, 0); /* every processor that runs Linux distributions of today */
    make_pipe(talk.there);
    make_pipe(talk.back);
    ASSERT_NE(fleet_add(fleet, ask, &talk) && fleet_add(fleet, answer, &talk), 0);
    EXPECT_NE(fleet_run(fleet), 0);
}
