/* SPDX-License-Identifier: MIT
 *
 * block_case.h - one worker blocks in a system call, another one on the same scheduler runs
 * meanwhile and completes it (BL-1, BL-4, BL-6).
 */
#ifndef UMSSHIM_TESTS_SUPPORT_BLOCK_CASE_H
#define UMSSHIM_TESTS_SUPPORT_BLOCK_CASE_H

#include <stddef.h>
#include <sys/types.h>

struct block_case;
typedef void (*block_step)(struct block_case *c);

struct block_case {
    void (*make)(int *fd); /* for the macros: makes fd[] before the workers run */
    block_step block;      /* worker 0: makes the call, checks its result */
    block_step complete;   /* worker 1, while worker 0 is in the call; NULL: time completes it */
    int fd[4];
    long number;
    void *data;
    /* Written by the runner. */
    int entered;
    int returned;
    int missed; /* worker 0 had returned when worker 1 ran first */
    pid_t blocked_tid;
    unsigned long blocked_pthread;
};

/* Checks that worker 1 ran while worker 0 was in its call, that Blocked was reported for it with
 * payload bit 0 set, and that both ended. A call that time completes is made again, up to twice, if
 * its time was over before worker 1 came to run. */
void run_block_case(struct block_case *c);

/* One worker runs this step. The scheduler may get at most `allowed` Blocked besides its end. LX-4
 * allows a report of a block that turns out short; a call that completes at once should cause
 * none. */
void run_unblocked(block_step step, struct block_case *c, int allowed);
/* One worker runs this step. The number of Blocked does not matter. */
void run_in_worker(block_step step, struct block_case *c);

/* A whole test of a call that blocks: the fields of its case, such as
 *
 *     BLOCK_TEST(Pipes, read, .make = make_pipe, .block = read_hello, .complete = write_hello)
 */
#define BLOCK_TEST(suite, name, ...)                                                               \
    TEST(suite, name)                                                                              \
    {                                                                                              \
        run_block_test(&(struct block_case){__VA_ARGS__});                                         \
    }

/* A whole test in one worker. The body that follows is the step, and `c` its case, whose other
 * fields may follow the name. UNBLOCKED_TEST allows `allowed` Blocked besides the worker's end. */
#define WORKER_TEST(suite, name, ...) UNBLOCKED_TEST(suite, name, BLOCKED_ANY, __VA_ARGS__)
#define UNBLOCKED_TEST(suite, name, allowed, ...)                                                  \
    static void suite##_##name##_step(struct block_case *c);                                       \
    TEST(suite, name)                                                                              \
    {                                                                                              \
        run_worker_test(&(struct block_case){.block = suite##_##name##_step, __VA_ARGS__},         \
                        allowed);                                                                  \
    }                                                                                              \
    static void suite##_##name##_step(struct block_case *c)

enum { BLOCKED_ANY = -1 };

/* These macros call the following: make, the run, close_all. */
void run_block_test(struct block_case *c);
void run_worker_test(struct block_case *c, int allowed);

/* Both ends; -1 everywhere after a recorded failure. */
void make_pipe(int *fd);
void make_sockets(int *fd);              /* a connected pair of stream sockets */
void make_full_pipe(int *fd);            /* a write to it has to wait */
void close_all(struct block_case *c);    /* every fd[] that is not 0 or -1 */
size_t fill_up(int fd);                  /* writes until it would block; the number of bytes */
size_t drain_some(int fd, size_t bytes); /* reads this many, blocking */
void set_nonblocking(int fd, int on);
long long elapsed_ms(long long since_ms);

#endif
