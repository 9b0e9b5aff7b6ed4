/* SPDX-License-Identifier: MIT
 *
 * static_tls.c - variables that a module declares as thread-local are each worker's own: those of
 * this program, in the loader's array of blocks and beyond the C runtime's.
 *
 * The hazard: compilers read the array's address from the thread's block and may do so at any time;
 * it must be the worker's array whatever kernel thread it is on. MinGW's own __thread goes through
 * TLS slots, so the variables here are put into the PE file's TLS section by hand, as other
 * compilers do.
 *
 * modes: default
 */
#include "gtest_c.h"
#include "moving.h"

enum { ROUNDS = 60, WORKERS = 4, INITIAL = 4711 };

/* The C runtime's tlssup.c makes the TLS directory from the sections between these. */
extern ULONG _tls_index;
extern char *_tls_start;
__attribute__((section(".tls$N"))) static volatile LONG number_template = INITIAL;
__attribute__((section(".tls$N"))) static volatile LONG array_template[64] = {1, 2, 3};

/* Looked up anew each time, as the hazard is that somebody does not. */
__attribute__((noinline)) static void *in_this_thread(const volatile void *template)
{
    char **blocks;

    __asm__ volatile("mov %%gs:0x58, %0" : "=r"(blocks));
    return blocks[_tls_index] + ((const volatile char *)template - (char *)&_tls_start);
}

static __thread int emulated = INITIAL;

static void keep_variables(struct worker *self)
{
    LONG *number = in_this_thread(&number_template);
    LONG *array = in_this_thread(&array_template);

    EXPECT_EQ(*number, INITIAL);
    EXPECT_EQ(array[1], 2);
    EXPECT_EQ(array[63], 0);
    EXPECT_EQ(emulated, INITIAL);
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        int value = self->index * 1000 + i;

        *(LONG *)in_this_thread(&number_template) = emulated = value;
        array[63] = -value;
        step_aside(self, i);
        EXPECT_EQ(in_this_thread(&number_template), number);
        EXPECT_EQ(in_this_thread(&array_template), array);
        EXPECT_EQ(*number, value);
        EXPECT_EQ(array[63], -value);
        EXPECT_EQ(emulated, value);
    }
}

static void schedulers_have_their_own(const struct activation *activation, void *arg)
{
    LONG *number = in_this_thread(&number_template);

    EXPECT_EQ(*number,
              activation->reason == UmsSchedulerStartup ? INITIAL : (LONG)GetCurrentThreadId());
    *number = (LONG)GetCurrentThreadId();
}

static void run(int schedulers)
{
    LONG *number = in_this_thread(&number_template);

    *number = INITIAL;
    ASSERT_OK(run_moving(schedulers, WORKERS, keep_variables, NULL, schedulers_have_their_own));
    EXPECT_EQ(*number, GetCurrentThreadId());
    EXPECT_EQ(number_template, INITIAL);
}

TEST(StaticTls, on_one_scheduler)
{
    run(1);
}

TEST(StaticTls, on_two_schedulers)
{
    run(2);
}
