/* SPDX-License-Identifier: MIT
 *
 * A call that a rewritten site makes (platform/linux/libc/site_call.c): which ones are redirected
 * to the library, and what they leave as it was.
 */
#include "platform/linux/libc/site_call.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

const struct plat_core *engine_core;
struct engine_clock engine_clock;

enum { WAITS = 7, NEVER_WAITS = 8, A_FORK = 57, RESULT = 41 };

const struct call_ops ops_process, ops_read;
const struct call_row call_rows[] = {
    {.nr = WAITS, .kinds = CALL_STOPS, .ops = &ops_read, .name = "waits"},
    {.nr = NEVER_WAITS, .kinds = CALL_STEADY, .ops = &ops_read, .name = "never waits"},
    {.nr = A_FORK, .kinds = CALL_STOPS, .ops = &ops_process, .name = "a fork"},
};
const unsigned call_row_count = sizeof call_rows / sizeof *call_rows;

/* The made-up row is about calls with a second argument. */
bool call_row_holds(const struct call_row *row, const long *args)
{
    EXPECT_EQ(row, &call_rows[0]);
    return args[1] != 0;
}

bool call_is_lent(long number)
{
    return false;
}

const struct call_row *trapped_call_stopped(int number, const long *args)
{
    return NULL;
}

long lent_call(struct plat_context *self, long number, const long args[6], uintptr_t behind,
               bool cancellable)
{
    FAIL("no call is lent");
    return -1;
}

void *front_named_in_libc(const char *name)
{
    EXPECT_STREQ(name, "syscall");
    return NULL;
}

void vector_state_find(void)
{
}

bool libc_holds(const void *code)
{
    return false;
}

bool futex_lets_go_for_libc(struct plat_context *self, const long args[6], long *result)
{
    return false;
}

long user_call(struct plat_context *self, long number, const long args[6])
{
    EXPECT_EQ(self, plat_tls.current);
    errno = EAGAIN;
    return RESULT;
}

void stop_look_closely(const void *caller)
{
    FAIL("no stop is due behind %p", caller);
}

long user_call_cancellable(struct plat_context *self, long number, const long args[6],
                           const void *at)
{
    return user_call(self, number, args);
}

TEST(SiteCall, only_calls_that_may_wait_are_redirected)
{
    const long may[6] = {0, 1}, may_not[6] = {0, 0};

    site_call_init();
    EXPECT_EQ(site_wanted(WAITS), true);
    EXPECT_EQ(sites_leads(WAITS, may), true);
    EXPECT_EQ(sites_leads(WAITS, may_not), false);
    EXPECT_EQ(site_wanted(NEVER_WAITS), false);
    EXPECT_EQ(sites_leads(NEVER_WAITS, may), false);
    EXPECT_EQ(site_wanted(A_FORK), false); /* its frames are the home's to make */
    EXPECT_EQ(sites_leads(A_FORK, may), false);
    EXPECT_EQ(sites_leads(SYS_futex, may_not), true);
    EXPECT_EQ(site_wanted(-1), false);
    EXPECT_EQ(site_wanted(SITE_NUMBERS), false);
}

/* The instruction that it stands for changes no memory of the program's. */
TEST(SiteCall, it_leaves_errno_as_it_was)
{
    const long args[6] = {0, 1};

    errno = EDOM;
    EXPECT_EQ(sites_call(WAITS, args, 0), RESULT);
    EXPECT_EQ(errno, EDOM);
    EXPECT_EQ(sites_shared_call(NULL, WAITS, 0, 1, 0, 0, 0, 0), RESULT);
    EXPECT_EQ(errno, EDOM);
}

/* No stack pointer is above the lowest address then (site_slots.S compares). */
TEST(SiteCall, around_a_fork_sites_are_shut)
{
    plat_tls.room.low = 0x7000;
    site_calls_shut();
    EXPECT_EQ(plat_tls.room.low, UINTPTR_MAX);
    site_calls_open();
    EXPECT_EQ(plat_tls.room.low, 0x7000u);
}
