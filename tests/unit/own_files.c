/* SPDX-License-Identifier: MIT
 *
 * Duplicates of the program's files (platform/linux/os/own_files.c): a child that is forked before
 * or after any of the system calls knows each number that holds such a file.
 */
#include "platform/linux/os/own_files.c"

#include "doubles.h"
#include "gtest_c.h"

#include <errno.h>
#include <string.h>

enum { NUMBERS = 600, PROGRAMS = 7, BLANK = 4, HELD = 40, STEPS = 20000 };

enum content { NOTHING, A_BLANK, A_FILE };

static enum content files[NUMBERS];
static long refused; /* this system call fails; 0: none */
static bool in_child;

/* What a child finds. */
static void look(void)
{
    if (in_child)
        return;
    for (int n = FIRST_DUPLICATE; n < NUMBERS; n++) {
        bool known = duplicates[n / 64] >> n % 64 & 1;
        if (files[n] == A_FILE && !known)
            FAIL("a child does not know the file at %d", n);
        if (files[n] == NOTHING && known)
            FAIL("a child would close %d, where the program may have a file", n);
        EXPECT_EQ(known && !file_is_own(n), false);
    }
}

static long number_for_blank(long from)
{
    while (from < NUMBERS && files[from] != NOTHING)
        from++;
    if (from == NUMBERS)
        return -EMFILE;
    files[from] = A_BLANK;
    return from;
}

static long carry_out(long nr, const long args[6])
{
    switch (nr) {
    case SYS_fcntl:
        EXPECT_EQ(args[0], BLANK);
        return number_for_blank(args[2]);
    case SYS_dup3:
        EXPECT_NE(files[args[1]], NOTHING);
        files[args[1]] = args[0] == BLANK ? A_BLANK : A_FILE;
        return args[1];
    case SYS_close:
        EXPECT_NE(files[args[0]], NOTHING);
        files[args[0]] = NOTHING;
        return 0;
    default:
        return -ENOSYS;
    }
}

static long kernel(long nr, const long args[6])
{
    long result;

    look();
    result = nr == refused ? -EBADF : carry_out(nr, args);
    if (nr != SYS_fcntl && nr != SYS_close) /* a blank may be unknown just now */
        look();
    return result;
}

static void start(void)
{
    memset(files, 0, sizeof files);
    refused = 0;
    in_child = false;
    double_syscall = kernel;
}

static int of(enum content content)
{
    int count = 0;

    for (int n = 0; n < NUMBERS; n++)
        count += files[n] == content;
    return count;
}

TEST(OwnFiles, a_child_knows_each_duplicate)
{
    uint64_t random = tc_seed() * 2u + 1;
    long held[HELD];
    int count = 0;

    start();
    for (int step = 0; step < STEPS; step++) {
        refused = 0;
        if (count < HELD && next_random(&random) % 2) {
            refused = next_random(&random) % 8 ? 0 : SYS_dup3;
            long number = own_file_duplicate(PROGRAMS, BLANK, FIRST_DUPLICATE);
            EXPECT_EQ(number >= 0, !refused);
            if (number >= 0)
                held[count++] = number;
        } else if (count) {
            int which = (int)(next_random(&random) % (unsigned)count);
            own_file_let_go((int)held[which], BLANK);
            held[which] = held[--count];
        }
        EXPECT_EQ(of(A_FILE), count);
        ASSERT_EQ(of(A_BLANK) <= SPARES, true);
    }
    refused = 0;
    in_child = true;
    own_files_forget();
    EXPECT_EQ(of(A_FILE) + of(A_BLANK), 0);
}

/* dup2 onto such a number is the program's right. */
TEST(OwnFiles, a_number_that_is_kept_is_given_to_the_program)
{
    start();
    int number = (int)own_file_duplicate(PROGRAMS, BLANK, FIRST_DUPLICATE);
    ASSERT_EQ(number, FIRST_DUPLICATE);
    EXPECT_EQ(own_file_give_up_spare(number), false);
    own_file_let_go(number, BLANK);
    EXPECT_EQ(own_file_give_up_spare(number), true);
    EXPECT_EQ(files[number], NOTHING);
    EXPECT_EQ(file_is_own(number), false);
    EXPECT_EQ(own_file_give_up_spare(number), false);
}

/* ---- The limit, while it is raised ---- */

static struct rlimit limit;
static int raises, forks_at, sets_at; /* the call behind which another thread does so; 0: never */

static void another_thread(int call)
{
    if (call == sets_at)
        limit.rlim_cur = 300;
    if (call != forks_at)
        return;
    forks_at = 0;
    own_files_forget(); /* in the child */
    EXPECT_EQ(limit.rlim_cur, (rlim_t)256);
    EXPECT_EQ(plat_trylock(&limit_lock), true);
    in_child = true;
}

static long set_limit(const struct rlimit *wanted, struct rlimit *before)
{
    if (before)
        *before = limit;
    if (wanted)
        limit = *wanted;
    return 0;
}

static long kernel_of_limits(long nr, const long args[6])
{
    long result = 0;

    if (nr == SYS_prlimit64)
        result = set_limit((const struct rlimit *)args[2], (struct rlimit *)args[3]);
    else if (nr == SYS_fcntl)
        result = args[2] < (long)limit.rlim_cur ? args[2] : -EINVAL;
    if (!in_child)
        another_thread(++raises);
    return result;
}

static int moved(int fork_behind, int set_behind)
{
    limit = (struct rlimit){256, 4096};
    raises = 0;
    forks_at = fork_behind;
    sets_at = set_behind;
    in_child = false;
    double_syscall = kernel_of_limits;
    return fd_move_high(PROGRAMS);
}

TEST(OwnFiles, lie_above_the_limit)
{
    EXPECT_EQ(moved(0, 0), 256);
    EXPECT_EQ(limit.rlim_cur, (rlim_t)256);
}

TEST(OwnFiles, a_child_has_the_limit_that_was)
{
    for (int call = 1; call <= 4; call++)
        moved(call, 0);
}

/* Between the two changes of the limit: the program's own is the last. */
TEST(OwnFiles, a_limit_that_is_set_meanwhile_stays)
{
    for (int call = 2; call <= 3; call++) {
        moved(0, call);
        EXPECT_EQ(limit.rlim_cur, (rlim_t)300);
    }
}
