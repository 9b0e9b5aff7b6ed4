/* SPDX-License-Identifier: MIT
 *
 * Reads of disk files (platform/linux/traps/disk_file.c): whether one has to wait for the disk. The
 * kernel's double has a file of which some pages are in memory.
 */
#include "platform/linux/traps/disk_file.c"
#include "platform/linux/traps/disk_seen.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>
#include <sys/sysmacros.h>

const struct plat_core *engine_core;
struct engine_clock engine_clock;

enum { FD = 5, MOST_PAGES = 8 };

static struct stat file;
static bool in_memory[MOST_PAGES], knows_cachestat;
static long flags;
static long read_error; /* what a read says instead; 0: none */
static long stands_at;  /* what lseek says */

bool fd_stat(int fd, struct stat *to)
{
    EXPECT_EQ(fd, FD);
    *to = file;
    return true;
}

static bool has_page(long number)
{
    return number < MOST_PAGES && in_memory[number];
}

/* As preadv2 with RWF_NOWAIT: what is there, up to the first page that is not. */
static long read_now(long position, long length)
{
    long end = S_ISREG(file.st_mode) && position + length > file.st_size ? file.st_size
                                                                         : position + length;
    long at = position;

    if (read_error)
        return read_error;
    while (at < end && has_page(at / PAGE))
        at = (at / PAGE + 1) * PAGE;
    at = at < end ? at : end;
    return at > position ? at - position : position < end ? -EAGAIN : 0;
}

static long kernel(long nr, const long args[6])
{
    const struct iovec *iov = (const struct iovec *)args[1];

    switch (nr) {
    case CACHESTAT: {
        const uint64_t *range = (const uint64_t *)args[1];
        struct cached *cached = (struct cached *)args[2];

        if (!knows_cachestat)
            return -ENOSYS;
        memset(cached, 0, sizeof *cached);
        for (uint64_t page = range[0] / PAGE; page <= (range[0] + range[1] - 1) / PAGE; page++)
            cached->pages += has_page((long)page);
        return 0;
    }
    case SYS_preadv2:
        EXPECT_EQ(args[5], RWF_NOWAIT);
        return read_now(args[3], (long)iov->iov_len);
    case SYS_lseek:
        return stands_at;
    case SYS_fcntl:
        EXPECT_EQ(args[1], F_GETFL);
        return flags;
    default:
        FAIL("call %ld", nr);
        return -ENOSYS;
    }
}

/* A file of this kind and size, with these of its pages in memory. */
static void start(mode_t mode, long size, const char *pages)
{
    memset(&file, 0, sizeof file);
    file.st_mode = mode;
    file.st_size = size;
    for (unsigned i = 0; i < MOST_PAGES; i++)
        in_memory[i] = *pages && *pages++ == '#';
    flags = read_error = stands_at = 0;
    double_syscall = kernel;
}

static bool has(long position, long length)
{
    static char buffer[MOST_PAGES * PAGE];
    const struct iovec iov = {buffer, (size_t)length};
    struct disk_place place = {.fd = FD, .position = position, .file = file};

    return disk_has(&place, &iov, 1, length);
}

TEST(DiskFile, a_read_waits_if_any_of_its_pages_is_not_in_memory)
{
    for (int known = 0; known < 2; known++) {
        knows_cachestat = known;
        start(S_IFREG, 4 * PAGE, "####");
        EXPECT_EQ(has(0, 4 * PAGE), true);
        start(S_IFREG, 4 * PAGE, "...#");
        EXPECT_EQ(has(0, 4 * PAGE), false);
        EXPECT_EQ(has(3 * PAGE, PAGE), true);
        EXPECT_EQ(has(2 * PAGE, PAGE), false);
        start(S_IFREG, 4 * PAGE, "##.#"); /* one too few */
        EXPECT_EQ(has(0, 4 * PAGE), false);
        EXPECT_EQ(has(PAGE, 3 * PAGE), false);
        EXPECT_EQ(has(0, 2 * PAGE), true);
        EXPECT_EQ(has(PAGE - 1, 2), true);
        EXPECT_EQ(has(2 * PAGE - 1, 2), false);
        start(S_IFREG, 4 * PAGE, "###.");
        EXPECT_EQ(has(0, 4 * PAGE), false);
    }
}

static enum disk_seen now_seen(void)
{
    struct disk_place place;

    EXPECT_EQ(disk_place_of(FD, &place), true);
    return place.seen;
}

TEST(DiskFile, a_whole_file_in_memory_is_remembered_for_a_second)
{
    static char buffer[PAGE];
    const struct iovec iov = {buffer, PAGE};
    struct disk_place place;

    knows_cachestat = true;
    double_now = 1000000000;
    start(S_IFREG, 4 * PAGE - 1, "####");
    EXPECT_EQ(now_seen(), SEEN_NOT);
    EXPECT_EQ(disk_place_of(FD, &place), true);
    EXPECT_EQ(disk_has(&place, &iov, 1, PAGE), true);
    EXPECT_EQ(place.seen, SEEN_WHOLE);
    EXPECT_EQ(now_seen(), SEEN_WHOLE);
    double_now += 900000000;
    EXPECT_EQ(now_seen(), SEEN_WHOLE);
    file.st_size = 4 * PAGE;
    EXPECT_EQ(now_seen(), SEEN_NOT);
    file.st_size = 4 * PAGE - 1;
    file.st_ino = 1;
    EXPECT_EQ(now_seen(), SEEN_NOT);
    file.st_ino = 0;
    file.st_dev = 1;
    EXPECT_EQ(now_seen(), SEEN_NOT);
    file.st_dev = 0;
    double_now += 200000000;
    EXPECT_EQ(now_seen(), SEEN_NOT);
}

/* Pairs are chosen by the upper nine bits. */
TEST(DiskFile, a_pair_remembers_the_two_last_names)
{
    enum { PAIR_AT = 55 };
    const uint64_t name = UINT64_C(7) << PAIR_AT, other = name + 1, third = name + 2;

    double_now = 1000000000;
    disk_see(name, SEEN_WHOLE);
    disk_see(other, SEEN_MUTE);
    disk_see(other, SEEN_MUTE);
    EXPECT_EQ(disk_seen(name), SEEN_WHOLE);
    EXPECT_EQ(disk_seen(other), SEEN_MUTE);
    disk_see(third, SEEN_WHOLE);
    EXPECT_EQ(disk_seen(name), SEEN_NOT);
    EXPECT_EQ(disk_seen(other), SEEN_MUTE);
    disk_see_no_more(other);
    EXPECT_EQ(disk_seen(other), SEEN_NOT);
    EXPECT_EQ(disk_seen(third), SEEN_WHOLE);
    disk_see_no_more(third);
    EXPECT_EQ(disk_seen(third), SEEN_NOT);
}

/* The path's name is as old as what was found out about the file. */
TEST(DiskFile, a_second_name_holds_no_longer_than_the_first)
{
    const uint64_t name = disk_name_mixed(1), path = disk_name_mixed(2), never = disk_name_mixed(3);

    double_now = 1000000000;
    disk_see(name, SEEN_MUTE);
    double_now += 900000000;
    disk_see_alike(path, name);
    EXPECT_EQ(disk_seen(path), SEEN_MUTE);
    double_now += 200000000;
    EXPECT_EQ(disk_seen(path), SEEN_NOT);
    disk_see_alike(path, never);
    EXPECT_EQ(disk_seen(path), SEEN_NOT);
}

TEST(DiskFile, a_part_of_a_file_is_not_remembered)
{
    knows_cachestat = true;
    start(S_IFREG, 5 * PAGE, "#.###");
    EXPECT_EQ(has(2 * PAGE, PAGE), true);
    EXPECT_EQ(now_seen(), SEEN_NOT);
    start(S_IFREG, 6 * PAGE, "#####.");
    EXPECT_EQ(has(2 * PAGE, PAGE), true);
    EXPECT_EQ(now_seen(), SEEN_NOT);
    start(S_IFREG, 7 * PAGE, "#######");
    read_error = -EOPNOTSUPP;
    EXPECT_EQ(has(2 * PAGE, PAGE), true);
    EXPECT_EQ(now_seen(), SEEN_MUTE);
    start(S_IFBLK, 3 * PAGE, "###");
    EXPECT_EQ(has(2 * PAGE, PAGE), true);
    EXPECT_EQ(now_seen(), SEEN_NOT);
}

/* The kernel's own files may have no position: such a one is a stream. */
TEST(DiskFile, one_without_a_position_is_none)
{
    struct disk_place place;

    start(S_IFREG, 0, "");
    EXPECT_EQ(disk_place_of(FD, &place), true);
    stands_at = -ESPIPE;
    EXPECT_EQ(disk_place_of(FD, &place), false);
}

TEST(DiskFile, what_lies_behind_the_end_needs_no_disk)
{
    start(S_IFREG, PAGE + 10, "##");
    EXPECT_EQ(has(PAGE, 4 * PAGE), true);
    EXPECT_EQ(has(2 * PAGE, PAGE), true);
    start(S_IFREG, PAGE + 10, "#.");
    EXPECT_EQ(has(PAGE, 4 * PAGE), false);
}

/* The read itself says what is wrong with it. */
TEST(DiskFile, a_read_that_fails_does_not_wait)
{
    start(S_IFREG, 4 * PAGE, "....");
    read_error = -EIO;
    EXPECT_EQ(has(0, PAGE), true);
    flags = O_DIRECT;
    EXPECT_EQ(has(0, PAGE), false); /* asked not to wait it would wait */
}

TEST(DiskFile, only_a_regular_file_ends_where_its_size_says)
{
    start(S_IFREG, 100, "#");
    EXPECT_EQ(disk_goes_on(FD, 99), true);
    EXPECT_EQ(disk_goes_on(FD, 100), false);
    start(S_IFBLK, 0, "#.");
    EXPECT_EQ(disk_goes_on(FD, 0), true);
    EXPECT_EQ(disk_goes_on(FD, PAGE), true); /* it is to be waited for */
    start(S_IFDIR, 0, "");
    read_error = -EISDIR;
    EXPECT_EQ(disk_goes_on(FD, 0), true);
    start(S_IFIFO, 0, "");
    EXPECT_EQ(disk_goes_on(FD, 0), false);
}

TEST(DiskFile, memory_devices_give_way_between_pages)
{
    start(S_IFCHR, 0, "");
    file.st_rdev = makedev(1, 5);
    EXPECT_EQ(device_gave_way(FD, 3 * PAGE), true);
    EXPECT_EQ(device_gave_way(FD, 3 * PAGE + 1), false);
    file.st_rdev = makedev(5, 0); /* a terminal: that was all */
    EXPECT_EQ(device_gave_way(FD, 3 * PAGE), false);
    start(S_IFIFO, 0, "");
    file.st_rdev = makedev(1, 5);
    EXPECT_EQ(device_gave_way(FD, PAGE), false);
    file.st_rdev = 0;
}
