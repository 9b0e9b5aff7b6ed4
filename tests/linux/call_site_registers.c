/* SPDX-License-Identifier: MIT
 *
 * call_site_registers.c - system calls within libc that are redirected to the library at the
 * instruction change no more than a system call does. They keep registers, flags, the red zone, and
 * stacks with no room below.
 *
 * modes: default, UMSSHIM_DETECT=traps UMSSHIM_FRONT=functions
 * with: libc_syscall.c
 */
#include "block_case.h"
#include "fleet.h"
#include "gtest_c.h"
#include "libc_syscall.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct talk {
    int there[2], back[2];
};

static void ask(struct worker *self)
{
    struct talk *talk = self->arg;
    struct machine machine;
    char byte;

    for (int i = 0; i < 200; i++) {
        EXPECT_EQ(write(talk->there[1], "q", 1), 1);
        read_one(&machine, talk->back[0], &byte, 2 * i);
    }
}

static void answer(struct worker *self)
{
    struct talk *talk = self->arg;
    struct machine machine;
    char byte;

    for (int i = 0; i < 200; i++) {
        read_one(&machine, talk->there[0], &byte, 2 * i + 1);
        EXPECT_EQ(write(talk->back[1], "a", 1), 1);
    }
}

TEST(CallSiteRegisters, keep_what_a_call_keeps)
{
    struct talk talk;
    struct fleet *fleet = fleet_create(1, 2, 0);

    make_pipe(talk.there);
    make_pipe(talk.back);
    ASSERT_NE(fleet_add(fleet, ask, &talk) && fleet_add(fleet, answer, &talk), 0);
    EXPECT_NE(fleet_run(fleet), 0);
    expect_rewritten();
}

static void *read_in_a_thread(void *arg)
{
    struct machine machine;
    char byte;

    read_one(&machine, ((struct talk *)arg)->there[0], &byte, 5);
    return NULL;
}

TEST(CallSiteRegisters, of_plain_threads_keep_it_too)
{
    struct talk talk;
    pthread_t thread;
    struct timespec moment = {0, 10000000};

    rewrite();
    make_pipe(talk.there);
    ASSERT_EQ(pthread_create(&thread, NULL, read_in_a_thread, &talk), 0);
    nanosleep(&moment, NULL);
    EXPECT_EQ(write(talk.there[1], "x", 1), 1);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
}

/* ---- Stacks with no room --------------------------------------------------------------------- */

/* Calls make_call with another stack pointer. */
void call_on(void *stack, struct machine *machine);
__asm__(".text\n"
        ".type call_on, @function\n"
        "call_on:\n"
        "    push %rbp\n mov %rsp, %rbp\n mov %rdi, %rsp\n mov %rsi, %rdi\n"
        "    call make_call\n"
        "    mov %rbp, %rsp\n pop %rbp\n ret\n"
        ".size call_on, . - call_on\n");

enum {
    OF_MAKE_CALL = 160 + 8
}; /* what make_call writes below the stack pointer, with 8 bytes to spare */

static void read_on_stacks(struct block_case *c)
{
    struct machine machine;
    char byte, *low, *other = malloc(65536);
    size_t bytes;
    pthread_attr_t attr;

    ASSERT_EQ(pthread_getattr_np(pthread_self(), &attr), 0);
    pthread_attr_getstack(&attr, (void **)&low, &bytes);
    pthread_attr_destroy(&attr);
    void *stacks[] = {low + OF_MAKE_CALL, low + 1024, low + 8192, other + OF_MAKE_CALL,
                      other + 65536};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        machine_fill(&machine, (int)i);
        long call[7] = {SYS_read, c->fd[0], (long)&byte, 1, 4, 5, 6};
        memcpy(machine.call, call, sizeof call);
        call_on((void *)((uintptr_t)stacks[i] & ~(uintptr_t)15), &machine);
        EXPECT_EQ(machine.result, 1);
        machine_check(&machine);
    }
    free(other);
}

static void write_later(struct block_case *c)
{
    struct timespec moment = {0, 2000000};

    for (int i = 0; i < 5; i++) {
        nanosleep(&moment, NULL);
        EXPECT_EQ(write(c->fd[1], "x", 1), 1);
    }
}

TEST(CallSiteRegisters, near_the_end_of_a_stack)
{
    struct block_case c = {.block = read_on_stacks, .complete = write_later};

    rewrite();
    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}
