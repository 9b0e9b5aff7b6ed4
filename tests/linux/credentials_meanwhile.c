/* SPDX-License-Identifier: MIT
 *
 * credentials_meanwhile.c - ids change again and again while workers block in bare calls, wait for every signal,
 * and are ended. No call is disturbed. Each part runs in a process of its own.
 *
 * modes: ways
 * with: changing_ids.c, ../support/slow_file.c
 */
#include "changing_ids.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "slow_file.h"
#include "tasks_in.h"
#include "thread_chains.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int changed;

/* ---- Standing carriers ----------------------------------------------------------------------------------- */

enum { PAIRS = 8 };

static int ping[PAIRS][2], pong[PAIRS][2];

/* Bare calls that wait for each other while rounds go on: no byte is lost, none comes twice, and what the
 * kernel tells itself about restarts reaches nobody. */
static void play(struct worker *self)
{
    int pair = self->index / 2;
    bool first = self->index % 2 == 0;
    unsigned char byte = 0;

    for (int i = 0; !first || !flag_get(&changed); i++) {
        unsigned char expected = (unsigned char)i;

        if (first) {
            EXPECT_EQ(syscall(SYS_write, ping[pair][1], &expected, 1), 1);
            EXPECT_EQ(syscall(SYS_read, pong[pair][0], &byte, 1), 1);
            EXPECT_EQ(byte, expected);
        } else {
            if (syscall(SYS_read, ping[pair][0], &byte, 1) != 1)
                return;
            EXPECT_EQ(byte, expected);
            EXPECT_EQ(syscall(SYS_write, pong[pair][1], &byte, 1), 1);
        }
    }
    if (first)
        close(ping[pair][1]);
}

static int play_meanwhile(void *unused)
{
    struct fleet *fleet = fleet_create(2, 2 * PAIRS, FLEET_SHARED_READY);
    pthread_t threads[2];

    for (int i = 0; i < PAIRS; i++) {
        EXPECT_EQ(pipe(ping[i]), 0);
        EXPECT_EQ(pipe(pong[i]), 0);
        fleet_add(fleet, play, NULL);
        fleet_add(fleet, play, NULL);
    }
    for (int i = 0; i < 2; i++) /* two that change at once */
        EXPECT_EQ(pthread_create(&threads[i], NULL, change_often, &changed), 0);
    fleet_run(fleet);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(pthread_join(threads[i], NULL), 0);
    fleet_destroy(fleet);
    return 0;
}

CALL_TEST(CredentialsMeanwhile, changed_while_bare_calls_block_and_return,
          EXPECT_IN_CHILD(play_meanwhile, NULL, LIMIT_MS))

/* ---- Workers that wait for every signal ------------------------------------------------------------------ */

/* The worker waits for all signals. A set that a program fills by hand has libc's own signals, too;
 * the wait must not take those. */
static void wait_for_any(struct worker *self)
{
    static const struct timespec no_time, moment = {0, 200000};
    uint64_t all = ~0ull;

    for (int i = 0; !flag_get(&changed); i++) {
        EXPECT_ERRNO((int)syscall(SYS_rt_sigtimedwait, &all, NULL,
                                  (i + self->index) % 4 ? &no_time : &moment, sizeof all),
                     EAGAIN);
    }
}

/* A full mask does not block libc's own signals, and a thread that opens its mask takes none of
 * them. */
static void block_and_open(struct worker *self)
{
    sigset_t all, none, before;

    memset(&all, 0xff, sizeof all);
    sigemptyset(&none);
    while (!flag_get(&changed)) {
        EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
        EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &none, &before), 0);
        EXPECT_EQ(before.__val[0], ~(1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1) | 3ul << 31));
        UmsThreadYield(NULL);
    }
}

static int wait_meanwhile(void *unused)
{
    struct fleet *fleet = fleet_create(2, 6, FLEET_SHARED_READY);
    pthread_t thread;

    for (int i = 0; i < 4; i++)
        fleet_add(fleet, wait_for_any, NULL);
    for (int i = 0; i < 2; i++)
        fleet_add(fleet, block_and_open, NULL);
    EXPECT_EQ(pthread_create(&thread, NULL, change_often, &changed), 0);
    fleet_run(fleet);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    fleet_destroy(fleet);
    return 0;
}

CALL_TEST(CredentialsMeanwhile, changed_while_workers_wait_for_every_signal,
          EXPECT_IN_CHILD(wait_meanwhile, NULL, LIMIT_MS))

/* ---- Workers that end ------------------------------------------------------------------------------------ */

static int begun, never_written[2];

/* Ends each worker after it has begun: its scheduler would miss one that it has never executed. */
static DWORD WINAPI end_workers(LPVOID fleet)
{
    for (int i = 0; i < 8; i++) {
        while (flag_get(&begun) <= i)
            Sleep(1);
        EXPECT_OK(TerminateThread(fleet_worker(fleet, i)->thread, 7));
        Sleep(5);
    }
    return 0;
}

static void block_for_good(struct worker *self)
{
    char byte;

    flag_set(&begun, self->index + 1);
    syscall(SYS_read, never_written[0], &byte, 1);
    FAIL("a call that nobody completes has returned");
}

static int end_meanwhile(void *unused)
{
    struct fleet *fleet = fleet_create(1, 9, 0);
    pthread_t thread;
    HANDLE ender;

    EXPECT_EQ(pipe(never_written), 0);
    for (int i = 0; i < 8; i++)
        fleet_add(fleet, block_for_good, NULL);
    EXPECT_EQ(pthread_create(&thread, NULL, change_often, &changed), 0);
    ender = CreateThread(NULL, 0, end_workers, fleet, 0, NULL);
    fleet_run(fleet);
    EXPECT_EQ(WaitForSingleObject(ender, 20000), (DWORD)WAIT_OBJECT_0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    fleet_destroy(fleet);
    return 0;
}

CALL_TEST(CredentialsMeanwhile, changed_while_blocked_workers_are_ended,
          EXPECT_IN_CHILD(end_meanwhile, NULL, LIMIT_MS))

/* ---- Threads that are made by threads that end -------------------------------------------------------------------- */

static void change_ids(int number)
{
    EXPECT_EQ(seteuid(number % 2 ? NOBODY : 0), 0);
}

static bool has_ids(int number)
{
    return (int)syscall(SYS_geteuid) == (number % 2 ? NOBODY : 0);
}

static void *change_as_the_youngest(void *number)
{
    change_ids((int)(intptr_t)number);
    return NULL;
}

/* The kernel lists threads in the order of their birth, and its list may end at one that ends. */
static void change_ids_in_a_new_thread(int number)
{
    pthread_t thread;

    EXPECT_EQ(pthread_create(&thread, NULL, change_as_the_youngest, (void *)(intptr_t)number), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
}

static void nothing(struct worker *self)
{
}

static void run_an_engine(void)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    fleet_add(fleet, nothing, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
}

static int change_meanwhile(void *unused)
{
    run_an_engine();
    EXPECT_EQ(chains_missed(change_ids, has_ids, CHANGES), 0);
    return 0;
}

static int change_from_new_threads(void *unused)
{
    run_an_engine();
    EXPECT_EQ(chains_missed(change_ids_in_a_new_thread, has_ids, 4 * CHANGES), 0);
    return 0;
}

TEST(CredentialsMeanwhile, changed_while_threads_make_others_and_end)
{
    if (getuid() != 0)
        SKIP("only root has another id to change to");
    EXPECT_IN_CHILD(change_meanwhile, NULL, LIMIT_MS);
}

TEST(CredentialsMeanwhile, changed_by_the_youngest_thread_while_older_ones_end)
{
    if (getuid() != 0)
        SKIP("only root has another id to change to");
    EXPECT_IN_CHILD(change_from_new_threads, NULL, LIMIT_MS);
}

/* ---- A thread whose end takes its time ----------------------------------------------------------------------------- */

enum { PAGE = 4096 };

static struct slow_file slow;
static void *page;
static _Atomic pid_t ender;

/* The kernel reads this list when the thread ends, and takes no signal to the thread any more. */
static void *end_slowly(void *unused)
{
    EXPECT_EQ(syscall(SYS_set_robust_list, page, sizeof(struct robust_list_head)), 0);
    ender = (pid_t)syscall(SYS_gettid);
    return unused;
}

static void wait_until_it_ends(void)
{
    char tid[16] = "0";
    long long began = now_ms();

    pid_t id = 0;
    while ((!id || !task_is_ending(tid)) && now_ms() - began < LIMIT_MS / 2) {
        usleep(1000);
        id = ender;
        snprintf(tid, sizeof tid, "%d", (int)id);
    }
    EXPECT_THAT(id && task_is_ending(tid), "thread %s does not end", tid);
}

/* The page comes when its server goes on. */
static int change_at_an_end(void *unused)
{
    pthread_t thread;

    run_an_engine();
    EXPECT_EQ(pthread_create(&thread, NULL, end_slowly, NULL), 0);
    wait_until_it_ends();
    change_all();
    EXPECT_EQ(kill(slow.server, SIGCONT), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    return 0;
}

TEST(CredentialsMeanwhile, changed_while_a_thread_takes_its_time_to_end)
{
    const char *refusal = slow_file_make(&slow, 0);
    struct child_result result;
    int fd;

    if (refusal)
        SKIP("%s", refusal);
    fd = open(slow.path, O_RDONLY | O_CLOEXEC);
    page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    EXPECT_NE(page, MAP_FAILED);
    EXPECT_EQ(kill(slow.server, SIGSTOP), 0);
    result = child_run(change_at_an_end, NULL, LIMIT_MS);
    EXPECT_EQ(kill(slow.server, SIGCONT), 0);
    EXPECT_CHILD_OK(result);
    close(fd);
    slow_file_drop(&slow);
}
