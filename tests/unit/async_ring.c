/* SPDX-License-Identifier: MIT
 *
 * Overlapped calls by a ring (platform/linux/async/async_ring.c), with a ring of the test's own: what
 * is asked of it after each answer.
 */
#include <liburing.h>

static struct io_uring_sqe *double_slot(void);
static int double_peek(struct io_uring_cqe **answer);
static void double_seen(void);
static int double_submit(void);
#define io_uring_get_sqe(ring) double_slot()
#define io_uring_peek_cqe(ring, answer) double_peek(answer)
#define io_uring_cqe_seen(ring, answer) double_seen()
#define io_uring_submit(ring) double_submit()
#define io_uring_submit_and_wait(ring, of) double_submit()

#include "platform/linux/async/async_ring.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

enum { SLOTS = 8, NOT_OVER = 1000 };

struct async_chain async_flying;
struct engine_caps engine_caps;

static struct io_uring_sqe slots[SLOTS];
static unsigned asked_for, answer_count;
static struct io_uring_cqe answer_given;
static struct async_call call;
static long call_result;

static struct io_uring_sqe *double_slot(void)
{
    memset(&slots[asked_for], 0, sizeof slots[0]);
    return &slots[asked_for++];
}

static int double_peek(struct io_uring_cqe **answer)
{
    *answer = &answer_given;
    return answer_count ? 0 : -EAGAIN;
}

static void double_seen(void)
{
    answer_count--;
}

static int double_submit(void)
{
    return 1;
}

bool plat_switch(const char *name, char value)
{
    (void)name, (void)value;
    return false;
}

static bool made;

bool own_ring_make(struct io_uring *ring)
{
    (void)ring;
    return made;
}

/* Of a child after fork, which no test here has. */
void own_ring_forget(struct io_uring *ring)
{
    (void)ring;
    FAIL("a ring is forgotten");
}

void async_over(struct async_call *over, long result)
{
    EXPECT_EQ(over, &call);
    EXPECT_EQ(call_result, NOT_OVER);
    call_result = result;
}

/* What is asked of the ring after this answer; NULL: nothing. */
static const struct io_uring_sqe *after(uint64_t tag, int result)
{
    asked_for = 0;
    answer_given.user_data = tag;
    answer_given.res = result;
    answer_count = 1;
    serve(true);
    EXPECT_EQ(answer_count, 0);
    EXPECT_LE(asked_for, 1);
    return asked_for ? &slots[0] : NULL;
}

static void read_begins(void)
{
    static char byte;

    asked_for = 0;
    call_result = NOT_OVER;
    call = (struct async_call){.kind = ASYNC_READ, .fd = 5, .length = 1, .address = &byte};
    async_flying.first = async_flying.last = &call;
    begin(&call);
    EXPECT_EQ(asked_for, 1);
    EXPECT_EQ(slots[0].opcode, IORING_OP_READ);
    EXPECT_EQ(slots[0].user_data, call.tag);
}

TEST(AsyncRing, the_wake_file_is_read_again)
{
    wake_file = 9;
    const struct io_uring_sqe *next = after(TAG_WAKE, 8);

    ASSERT_NE(next, NULL);
    EXPECT_EQ(next->opcode, IORING_OP_READ);
    EXPECT_EQ(next->fd, 9);
    EXPECT_EQ(next->user_data, TAG_WAKE);
}

TEST(AsyncRing, a_cancellation_that_found_nothing_is_made_again)
{
    read_begins();
    uint64_t tag = call.tag;
    const struct io_uring_sqe *next = after(tag | TAG_CANCEL, -ENOENT);

    ASSERT_NE(next, NULL);
    EXPECT_EQ(next->opcode, IORING_OP_ASYNC_CANCEL);
    EXPECT_EQ(next->addr, tag);
    EXPECT_EQ(next->user_data, tag | TAG_CANCEL);
    EXPECT_EQ(after(tag | TAG_CANCEL, 0), NULL);         /* it is on its way */
    EXPECT_EQ(after(tag | TAG_CANCEL, -EALREADY), NULL); /* the same */
    read_begins();                                       /* the next call that lies there */
    EXPECT_EQ(after(tag | TAG_CANCEL, -ENOENT), NULL);
    EXPECT_EQ(call_result, NOT_OVER);
}

TEST(AsyncRing, a_nonblocking_file_is_waited_for)
{
    read_begins();
    const struct io_uring_sqe *next = after(call.tag, -EAGAIN);

    ASSERT_NE(next, NULL);
    EXPECT_EQ(next->opcode, IORING_OP_POLL_ADD);
    EXPECT_EQ(next->poll32_events, POLLIN);
    next = after(call.tag, POLLIN);
    ASSERT_NE(next, NULL);
    EXPECT_EQ(next->opcode, IORING_OP_READ);
    EXPECT_EQ(call_result, NOT_OVER);
    EXPECT_EQ(after(call.tag, 1), NULL);
    EXPECT_EQ(call_result, 1);
}

TEST(AsyncRing, a_call_that_is_to_be_cancelled_is_not_made_again)
{
    read_begins();
    EXPECT_NE(after(call.tag, -EINTR), NULL);
    EXPECT_EQ(call_result, NOT_OVER);
    call.cancelled = true;
    EXPECT_EQ(after(call.tag, -EAGAIN), NULL);
    EXPECT_EQ(call_result, -ECANCELED);
}

/* ---- Opening --------------------------------------------------------------------------------- */

TEST(AsyncRing, the_wake_file_is_read_from_the_start)
{
    asked_for = 0;
    made = true;
    EXPECT_EQ(open_ring(9), true);
    EXPECT_EQ(asked_for, 1);
    EXPECT_EQ(slots[0].opcode, IORING_OP_READ);
    EXPECT_EQ(slots[0].fd, 9);
}

TEST(AsyncRing, without_a_ring_nothing_is_asked)
{
    asked_for = 0;
    made = false;
    EXPECT_EQ(open_ring(9), false);
    EXPECT_EQ(asked_for, 0);
}
