/* SPDX-License-Identifier: MIT
 *
 * Rings of the library's own (platform/linux/os/own_ring.c), with a kernel of the test's own: which
 * ring is of use, and what is left of one that is not.
 */
#include <liburing.h>

static struct io_uring_sqe *double_slot(void);
static int double_peek(struct io_uring_cqe **answer);
static void double_seen(void);
static int double_submit(void);
static int double_make(struct io_uring *ring, struct io_uring_params *params);
static void double_unmake(void);
static int double_dontfork(void);
#define io_uring_get_sqe(ring) double_slot()
#define io_uring_peek_cqe(ring, answer) double_peek(answer)
#define io_uring_cqe_seen(ring, answer) double_seen()
#define io_uring_submit_and_wait(ring, of) double_submit()
#define io_uring_queue_init_params(entries, ring, params) double_make(ring, params)
#define io_uring_queue_exit(ring) double_unmake()
#define io_uring_ring_dontfork(ring) double_dontfork()

#include "platform/linux/os/own_ring.c"

#include "gtest_c.h"

#include <string.h>

enum { LOW = 5, HIGH = 2000, REGISTERED = 3 };

/* The kernel's and the sandbox's answers. */
static unsigned features;
static int make_errors[2], entered;
static int enter_number; /* by which liburing enters a new ring */
/* What is there by now. */
static int rings, made, unread, kept_from_children;
static unsigned flags[2], answer_room[2];

static struct io_uring_sqe *double_slot(void)
{
    static struct io_uring_sqe slot;

    return &slot;
}

static int double_submit(void)
{
    unread += entered == 1;
    return entered;
}

static int double_peek(struct io_uring_cqe **answer)
{
    static struct io_uring_cqe there;

    *answer = &there;
    return unread ? 0 : -EAGAIN;
}

static void double_seen(void)
{
    unread--;
}

static int double_make(struct io_uring *ring, struct io_uring_params *params)
{
    int error = make_errors[made];

    flags[made] = params->flags;
    answer_room[made++] = params->cq_entries;
    params->features = features;
    ring->ring_fd = LOW;
    ring->enter_ring_fd = enter_number;
    rings += !error;
    return error;
}

static void double_unmake(void)
{
    rings--;
}

static int double_dontfork(void)
{
    kept_from_children++;
    return 0;
}

int fd_move_high(int fd)
{
    EXPECT_EQ(fd, LOW);
    return HIGH;
}

static int closed;

void own_file_close(long fd)
{
    closed = (int)fd;
}

static struct io_uring ring;

/* A kernel that makes rings of use. */
static void begin(void)
{
    features = IORING_FEAT_NODROP;
    make_errors[0] = make_errors[1] = 0;
    entered = 1;
    enter_number = LOW;
    rings = made = unread = kept_from_children = 0;
    closed = -1;
    memset(&ring, 0, sizeof ring);
}

TEST(OwnRing, one_that_answers_is_of_use)
{
    begin();
    EXPECT_EQ(own_ring_make(&ring), true);
    EXPECT_EQ(rings, 1);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(unread, 0); /* the trial's answer */
    EXPECT_EQ(kept_from_children, 1);
    EXPECT_NE(flags[0] & IORING_SETUP_SINGLE_ISSUER, 0);
    EXPECT_EQ(answer_room[0], 4096);
}

TEST(OwnRing, a_kernel_that_knows_no_flags_makes_a_plain_one)
{
    begin();
    make_errors[0] = -EINVAL;
    EXPECT_EQ(own_ring_make(&ring), true);
    EXPECT_EQ(rings, 1);
    EXPECT_EQ(made, 2);
    EXPECT_EQ(flags[1], IORING_SETUP_CQSIZE);
    EXPECT_EQ(answer_room[1], 4096);
}

TEST(OwnRing, a_refusal_is_final)
{
    begin();
    make_errors[0] = -EPERM;
    EXPECT_EQ(own_ring_make(&ring), false);
    EXPECT_EQ(made, 1);
    begin();
    make_errors[0] = make_errors[1] = -EINVAL;
    EXPECT_EQ(own_ring_make(&ring), false);
    EXPECT_EQ(made, 2);
    EXPECT_EQ(rings, 0);
}

TEST(OwnRing, nothing_is_left_of_one_that_is_of_no_use)
{
    begin();
    features = 0; /* it may lose answers */
    EXPECT_EQ(own_ring_make(&ring), false);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(rings, 0);
    begin();
    entered = -EPERM; /* by a sandbox */
    EXPECT_EQ(own_ring_make(&ring), false);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(rings, 0);
}

TEST(OwnRing, it_is_entered_by_its_high_number)
{
    begin();
    EXPECT_EQ(own_ring_make(&ring), true);
    EXPECT_EQ(ring.ring_fd, HIGH);
    EXPECT_EQ(ring.enter_ring_fd, HIGH);
    own_ring_forget(&ring);
    EXPECT_EQ(closed, HIGH);
}

TEST(OwnRing, a_registered_one_is_entered_by_its_place)
{
    begin();
    enter_number = REGISTERED;
    EXPECT_EQ(own_ring_make(&ring), true);
    EXPECT_EQ(ring.ring_fd, HIGH);
    EXPECT_EQ(ring.enter_ring_fd, REGISTERED);
}
