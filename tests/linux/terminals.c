/* SPDX-License-Identifier: MIT
 *
 * terminals.c - a read of a terminal ends by the settings VMIN and VTIME, though poll does not call
 * the terminal ready. A write that finds less room than it needs waits, while another worker of the
 * same scheduler reads the other end. A write that finds room does not wait.
 *
 * modes: ways, UMSSHIM_FRONT=functions, UMSSHIM_DETECT=0, UMSSHIM_FAULTS=1
 */
#include "fleet.h"
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"
#include "is_set.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

struct terminal {
    int master, slave;
};

static struct terminal make_terminal(int least, int tenths)
{
    struct terminal pair;
    struct termios settings;
    char name[64];

    pair.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_NE(pair.master, -1);
    EXPECT_EQ(grantpt(pair.master), 0);
    EXPECT_EQ(unlockpt(pair.master), 0);
    EXPECT_EQ(ptsname_r(pair.master, name, sizeof name), 0);
    pair.slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_NE(pair.slave, -1);
    EXPECT_EQ(tcgetattr(pair.slave, &settings), 0);
    cfmakeraw(&settings);
    settings.c_cc[VMIN] = (cc_t)least;
    settings.c_cc[VTIME] = (cc_t)tenths;
    EXPECT_EQ(tcsetattr(pair.slave, TCSANOW, &settings), 0);
    return pair;
}

static void close_terminal(struct terminal pair)
{
    close(pair.slave);
    close(pair.master);
}

/* ---- Reads ---- */

static const struct reading {
    int least, tenths; /* VMIN, VTIME */
    const char *typed;
    size_t bytes; /* of the read */
    long got;
    int ms; /* at least */
} readings[] = {
    {.least = 0, .tenths = 0, .typed = "", .bytes = 5, .got = 0, .ms = 0},
    {.least = 0, .tenths = 1, .typed = "", .bytes = 5, .got = 0, .ms = 90},
    {.least = 3, .tenths = 0, .typed = "a", .bytes = 1, .got = 1, .ms = 0},
    {.least = 3, .tenths = 1, .typed = "a", .bytes = 5, .got = 1, .ms = 90},
    {.least = 3, .tenths = 0, .typed = "abc", .bytes = 5, .got = 3, .ms = 0},
    {.least = 1, .tenths = 0, .typed = "a", .bytes = 5, .got = 1, .ms = 0},
};
enum { READINGS = sizeof readings / sizeof *readings, TIMES = 4 };

static void read_by_settings(struct worker *self)
{
    const struct reading *wanted = &readings[self->index];
    struct terminal pair = make_terminal(wanted->least, wanted->tenths);
    char bytes[8];

    for (int i = 0; i < TIMES; i++) {
        struct iovec vector = {bytes, wanted->bytes};
        long long begun;
        long got;

        EXPECT_EQ(write(pair.master, wanted->typed, strlen(wanted->typed)),
                  (long)strlen(wanted->typed));
        begun = now_ms();
        got = i & 1 ? readv(pair.slave, &vector, 1) : read(pair.slave, bytes, wanted->bytes);
        EXPECT_THAT(got == wanted->got, "VMIN %d, VTIME %d: read %ld", wanted->least,
                    wanted->tenths, got);
        EXPECT_THAT(elapsed_ms(begun) >= wanted->ms, "VMIN %d, VTIME %d: %lld ms", wanted->least,
                    wanted->tenths, elapsed_ms(begun));
    }
    close_terminal(pair);
}

TEST(Terminals, a_read_ends_by_the_settings)
{
    EXPECT_OK(FLEET_RUN(1, 0, {READINGS, read_by_settings, NULL}));
}

/* ---- Writes ---- */

enum { MORE = 100000, WRITES = 5 };

static void write_more_than_there_is_room(struct worker *self)
{
    const struct terminal *pair = self->arg;
    char *text = malloc(MORE);

    for (int i = 0; i < MORE; i++)
        text[i] = (char)(i % 251);
    for (int i = 0; i < WRITES; i++) {
        struct iovec vector[] = {{text, MORE / 3}, {text + MORE / 3, MORE - MORE / 3}};
        EXPECT_EQ(i & 1 ? writev(pair->slave, vector, 2) : write(pair->slave, text, MORE), MORE);
    }
    free(text);
}

static void read_it(struct worker *self)
{
    const struct terminal *pair = self->arg;
    char part[4096];
    long at = 0, wrong = 0;

    while (at < (long)WRITES * MORE) {
        ssize_t got = read(pair->master, part, sizeof part);
        if (got <= 0) {
            FAIL("read %ld", (long)got);
            return;
        }
        for (ssize_t i = 0; i < got; i++, at++)
            wrong += part[i] != (char)(at % MORE % 251);
    }
    EXPECT_EQ(wrong, 0);
}

static void write_and_read(int schedulers)
{
    struct terminal pair = make_terminal(1, 0);

    EXPECT_OK(FLEET_RUN(schedulers, FLEET_SHARED_READY, {1, write_more_than_there_is_room, &pair},
                        {1, read_it, &pair}));
    close_terminal(pair);
}

TEST(Terminals, a_write_waits_for_a_reader_of_the_same_scheduler)
{
    write_and_read(1);
}

TEST(Terminals, a_write_waits_for_a_reader_of_another_scheduler)
{
    write_and_read(2);
}

/* One that must not wait moves what there is room for. */
static void write_without_waiting(struct worker *self)
{
    struct terminal pair = make_terminal(1, 0);
    static char text[MORE];
    ssize_t moved;

    EXPECT_EQ(fcntl(pair.slave, F_SETFL, O_RDWR | O_NONBLOCK), 0);
    moved = write(pair.slave, text, MORE);
    EXPECT_THAT(moved > 0 && moved < MORE, "wrote %ld", (long)moved);
    close_terminal(pair);
}

TEST(Terminals, a_write_that_must_not_wait_moves_a_part)
{
    EXPECT_OK(FLEET_RUN(1, 0, {1, write_without_waiting, NULL}));
}

/* A worker that prints keeps its scheduler: the lines come in the order in which workers run. */
enum { LINES = 50, ALLOWED = 5 };

static void print_lines(struct block_case *c)
{
    struct iovec vector[] = {{"line", 4}, {"\n", 1}};

    for (int i = 0; i < LINES; i++)
        EXPECT_EQ(i & 1 ? writev(c->fd[1], vector, 2) : write(c->fd[1], "line\n", 5), 5);
}

TEST(Terminals, a_write_that_finds_room_does_not_block)
{
    struct terminal pair = make_terminal(1, 0);
    struct block_case c = {.fd = {pair.master, pair.slave}};

    /* Where nothing could end a write that waits, a helper makes each. */
    bool helped = is_set("UMSSHIM_DETECT", "0") || is_set("UMSSHIM_FAULTS", "1");

    run_unblocked(print_lines, &c, helped ? BLOCKED_ANY : ALLOWED);
    close_terminal(pair);
}
