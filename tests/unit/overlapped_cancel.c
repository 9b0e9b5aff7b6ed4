/* SPDX-License-Identifier: MIT
 *
 * A socket that gets another file (winapi/linux/overlapped_cancel.c): its old file stays until each
 * operation of that time is over and published.
 */
#include "winapi/linux/overlapped_cancel.c"
#include "winapi/linux/overlapped_queue.c"

#include "doubles.h"
#include "gtest_c.h"

enum { FD = 5, FRESH_FD = 6, COPY = 40 };

static struct file file;
static unsigned wakes, closes;

void async_submit(struct async_call *call)
{
    FAIL("no operation waits");
}

void async_cancel(struct async_call *call)
{
    FAIL("no operation waits");
}

bool ready_take_back(struct ready_watch *watch, struct async_call *call)
{
    FAIL("no operation waits");
    return false;
}

void ready_end(struct ready_watch *watch, int fd)
{
    FAIL("the socket is in no set");
}

void object_hold(struct object *object)
{
}

void object_drop(struct object *object)
{
}

void operation_publish(struct operation *operation, bool at_once)
{
    FAIL("the test publishes");
}

void address_wake(const volatile void *address, unsigned most,
                  void (*woken)(void *arg, unsigned count, bool more), void *arg)
{
    EXPECT_EQ((void *)(uintptr_t)address, (void *)&file.pending[INWARD].old);
    wakes++;
}

/* Each copy of the socket's descriptor has another number. */
static long kernel(long nr, const long args[6])
{
    static long copies;

    if (nr == SYS_fcntl)
        return COPY + copies++;
    closes += nr == SYS_close;
    return 0;
}

static bool waits(void)
{
    return is_open(&file.pending[INWARD].old);
}

static void start(void)
{
    memset(&file, 0, sizeof file);
    file.fd = FD;
    wakes = closes = 0;
    double_syscall = kernel;
}

TEST(OverlappedCancel, an_operation_that_is_being_published_counts_as_one_of_the_old_file)
{
    start();
    file.pending[INWARD].telling = true;
    overlapped_change_file(&file, FRESH_FD);
    EXPECT_EQ(waits(), true);
    operation_told(&file, INWARD);
    EXPECT_EQ(waits(), false);
    EXPECT_EQ(wakes, 1u);
    EXPECT_EQ(closes, 2u);
}

TEST(OverlappedCancel, without_operations_nobody_waits)
{
    start();
    overlapped_change_file(&file, FRESH_FD);
    EXPECT_EQ(waits(), false);
    EXPECT_EQ(closes, 1u);
}
