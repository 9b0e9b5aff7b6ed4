/* SPDX-License-Identifier: MIT
 *
 * The table of system calls (platform/linux/traps/calls.def), and who reads it: a row is all that a
 * call needs to be found, stopped, lent, interrupted, and told of. One call of the table here is
 * made up. filter_program.c has the filter.
 */
#include "calls_table.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "gtest_c.h"
#include "platform/linux/calls/call_mask.c"
#include "platform/linux/calls/call_signal.c"

/* ---- Doubles --------------------------------------------------------------------------------- */

static bool on_disk;
static int limited; /* the socket's option that is set */

bool fd_is_disk_file(int fd)
{
    return on_disk;
}

void deadline_of_socket(struct call *call, int fd, int option)
{
    if (option == limited)
        call->deadline = 1;
}

int copy_in(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return 0;
}

/* ---- The made-up call ------------------------------------------------------------------------ */

TEST(CallsTable, a_row_is_enough)
{
    const long waits[6] = {3, 1}, does_not[6] = {3, 0};
    const struct call_row *row = trapped_call_stopped(SYS_made_up, waits);

    ASSERT_THAT(row != NULL, "the made-up call is not stopped");
    EXPECT_STREQ(row->name, "made_up");
    EXPECT_STREQ(row->told, "fxp");
    EXPECT_EQ(trapped_call_find(SYS_made_up), row);
    EXPECT_EQ(trapped_call_stopped(SYS_made_up, does_not), NULL);
    EXPECT_EQ(call_row_find(SYS_made_up, CALL_LENDS), row);
    EXPECT_EQ(call_row_find(SYS_made_up, CALL_STEADY), NULL);
    EXPECT_EQ(call_row_find(SYS_made_up + 1, CALL_STOPS), NULL);
}

TEST(CallsTable, its_mask_is_where_the_row_says)
{
    uint64_t own = 1 << 9, taken = 0;
    struct call call = {.entry = trapped_call_find(SYS_made_up), .args = {3, 1, (long)&own, 8}};

    EXPECT_EQ(call_brings_mask(&call), true);
    EXPECT_EQ(take_mask(&call, &taken), 1);
    EXPECT_EQ(taken, own);
    EXPECT_EQ(call.args[2], 0); /* nobody else looks at it */
    EXPECT_EQ(take_mask(&call, &taken), 0);
    call.args[2] = (long)&own;
    call.args[3] = 4;
    EXPECT_EQ(take_mask(&call, &taken), -EINVAL);
}

/* ---- What a signal does ---------------------------------------------------------------------- */

enum { NO = 0, YES = 1 };

static void expect_signal(int nr, uint64_t deadline, bool interrupts, bool restarts)
{
    struct call call = {.entry = trapped_call_find(nr), .deadline = deadline};

    ASSERT_THAT(call.entry != NULL, "call %d is not there", nr);
    EXPECT_THAT(call_interruptible(&call) == interrupts, "%s: interrupted %d", call.entry->name,
                !interrupts);
    EXPECT_THAT(call_restarts(&call) == restarts, "%s: restarted %d", call.entry->name, !restarts);
}

TEST(CallsTable, signals_do_as_the_row_says)
{
    expect_signal(SYS_made_up, PLAT_FOREVER, YES, NO);
    expect_signal(SYS_poll, PLAT_FOREVER, YES, NO);
    expect_signal(SYS_flock, PLAT_FOREVER, YES, YES);
    expect_signal(SYS_fsync, PLAT_FOREVER, NO, YES);
    expect_signal(SYS_futex, PLAT_FOREVER, YES, YES);
    expect_signal(SYS_futex, 1, YES, NO);
    for (on_disk = false;; on_disk = true) {
        expect_signal(SYS_read, PLAT_FOREVER, !on_disk, YES);
        expect_signal(SYS_writev, PLAT_FOREVER, !on_disk, YES);
        expect_signal(SYS_recvfrom, PLAT_FOREVER, YES, YES);
        if (on_disk)
            break;
    }
    limited = SO_RCVTIMEO;
    on_disk = false;
    expect_signal(SYS_read, PLAT_FOREVER, YES, NO);
    expect_signal(SYS_recvmsg, PLAT_FOREVER, YES, NO);
    expect_signal(SYS_sendto, PLAT_FOREVER, YES, YES);
    limited = SO_SNDTIMEO;
    expect_signal(SYS_accept, PLAT_FOREVER, YES, YES);
    expect_signal(SYS_write, PLAT_FOREVER, YES, NO);
    expect_signal(SYS_connect, PLAT_FOREVER, YES, NO);
}

/* ---- Steady calls ---------------------------------------------------------------------------- */

TEST(CallsTable, steady_for_some_arguments)
{
    const long anonymous[6] = {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0};
    const long of_a_file[6] = {0, 4096, PROT_READ, MAP_PRIVATE, 3, 0};
    const long advice[6] = {0, 4096, MADV_PAGEOUT};
    const long populating[6] = {0, 4096, MADV_PAGEOUT + 1};

    EXPECT_EQ(call_is_steady(SYS_munmap, of_a_file), true);
    EXPECT_EQ(call_is_steady(SYS_mmap, anonymous), true);
    EXPECT_EQ(call_is_steady(SYS_mmap, of_a_file), false);
    EXPECT_EQ(call_is_steady(SYS_madvise, advice), true);
    EXPECT_EQ(call_is_steady(SYS_madvise, populating), false);
    EXPECT_EQ(call_is_steady(SYS_read, anonymous), false);
    EXPECT_EQ(call_is_steady(-1, anonymous), false);
}

/* ---- Every row ------------------------------------------------------------------------------- */

TEST(CallsTable, rows_are_whole)
{
    for (unsigned i = 0; i < call_row_count; i++) {
        const struct call_row *row = &call_rows[i];
        size_t letters = strlen(row->told);

        EXPECT_THAT(row->nr >= 0 && row->nr < CALL_NUMBERS, "%s: number %d", row->name, row->nr);
        EXPECT_THAT(call_row_find(row->nr, CALL_STOPS | CALL_LENDS | CALL_STEADY) == row,
                    "%s: another row has its number", row->name);
        EXPECT_THAT((row->ops != NULL) == !!(row->kinds & CALL_STOPS), "%s: operations", row->name);
        EXPECT_THAT(letters <= 6 && strspn(row->told + (row->told[0] == 'f'), "duoxps") ==
                                        letters - (row->told[0] == 'f'),
                    "%s: told as \"%s\"", row->name, row->told);
    }
}
