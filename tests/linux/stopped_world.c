/* SPDX-License-Identifier: MIT
 *
 * stopped_world.c - a run time that stops threads by signals, as a collector does: each thread's
 * handler answers, and waits for a second signal. Schedulers are among these threads. Between the
 * last answer and the second signal nothing of the program runs: no worker, and no entry point.
 *
 * modes: ways, UMSSHIM_DETECT=traps, UMSSHIM_FRONT=functions, UMSSHIM_FAULTS=1
 */
#include "fleet.h"
#include "gtest_c.h"
#include "child.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SCHEDULERS = 2, ROUNDS = 20, MOST = 40, STOP = SIGUSR1, GO = SIGUSR2 };

static struct {
    pthread_t thread[MOST];
    int count; /* with the lock */
    pthread_mutex_t lock;
    sem_t answers, gone_on;
    int stopped;  /* a number for each stop; 0: the world runs */
    int over;     /* the workers are to end */
    int expected; /* how many threads there are to be */
    long steps;   /* of entry points and workers */
} world;

static HANDLE event;

/* ---- What each thread does ---- */

static void on_stop(int number)
{
    int saved = errno, mine = flag_get(&world.stopped);
    sigset_t open;

    sigfillset(&open);
    sigdelset(&open, GO);
    sem_post(&world.answers);
    while (flag_get(&world.stopped) == mine)
        sigsuspend(&open);
    sem_post(&world.gone_on);
    errno = saved;
}

static void on_go(int number)
{
}

static void step(void)
{
    __atomic_add_fetch(&world.steps, 1, __ATOMIC_SEQ_CST);
}

static void add_self(void)
{
    pthread_mutex_lock(&world.lock);
    world.thread[world.count] = pthread_self();
    flag_set(&world.count, world.count + 1);
    pthread_mutex_unlock(&world.lock);
}

static void in_entry_point(const struct activation *activation, void *unused)
{
    if (activation->reason == UmsSchedulerStartup)
        add_self();
    step();
}

static void sleeps(int round)
{
    usleep(200 + 100 * (round % 3));
}

static void waits(int round)
{
    WaitForSingleObject(event, 1);
}

static void polls(int round)
{
    int ends[2];
    struct pollfd one;

    if (pipe(ends))
        return;
    one = (struct pollfd){.fd = ends[0], .events = POLLIN};
    poll(&one, 1, 1);
    close(ends[0]);
    close(ends[1]);
}

static void yields(int round)
{
    UmsThreadYield(NULL);
}

static void computes(int round)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
    if (round % 50 == 0)
        UmsThreadYield(NULL);
}

static void live(struct worker *self)
{
    void (*one)(int round) = (void (*)(int))self->arg;

    add_self();
    for (int round = 0; !flag_get(&world.over); round++) {
        step();
        one(round);
        step();
        if (one != computes && one != yields && round % 7 == 0)
            UmsThreadYield(NULL);
    }
}

/* ---- Stopping it ---- */

static bool await(sem_t *semaphore, int count, const char *what, int round)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    for (int i = 0; i < count; i++) {
        while (sem_timedwait(semaphore, &until)) {
            if (errno == EINTR)
                continue;
            EXPECT_THAT(i == count, "round %d: %d of %d threads %s", round, i, count, what);
            return false;
        }
    }
    return true;
}

static int send_all(int number)
{
    int sent = 0;

    for (int i = 0; i < world.count; i++) {
        if (pthread_equal(world.thread[i], pthread_self()))
            continue;
        EXPECT_EQ(pthread_kill(world.thread[i], number), 0);
        sent++;
    }
    return sent;
}

static bool stop_once(int round)
{
    long before;
    int sent;

    flag_set(&world.stopped, round);
    sent = send_all(STOP);
    if (!await(&world.answers, sent, "have answered", round))
        return false;
    before = __atomic_load_n(&world.steps, __ATOMIC_SEQ_CST);
    usleep(round % 2 ? 1500 : 0);
    if (round % 3 == 0)
        Sleep(1);
    EXPECT_EQ(__atomic_load_n(&world.steps, __ATOMIC_SEQ_CST), before);
    flag_set(&world.stopped, 0);
    send_all(GO);
    return await(&world.gone_on, sent, "have gone on", round);
}

static void stop_often(void)
{
    long long begun = now_ms();

    while (flag_get(&world.count) < world.expected && now_ms() - begun < 10000)
        usleep(300);
    EXPECT_EQ(flag_get(&world.count), world.expected);
    for (int round = 1; round <= ROUNDS && stop_once(round); round++)
        usleep(round % 4 * 500);
    flag_set(&world.over, 1);
}

static void stop_as_worker(struct worker *self)
{
    add_self();
    stop_often();
}

static DWORD WINAPI stop_as_thread(LPVOID unused)
{
    stop_often();
    return 0;
}

static struct fleet *make_world(unsigned flags)
{
    static void (*const ways[])(int round) = {sleeps, waits, polls, yields, computes};
    struct fleet *fleet = fleet_create(SCHEDULERS, MOST, FLEET_OWN_LISTS | flags);
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_RESTART};

    memset(&world, 0, sizeof world);
    pthread_mutex_init(&world.lock, NULL);
    sem_init(&world.answers, 0, 0);
    sem_init(&world.gone_on, 0, 0);
    event = CreateEventA(NULL, TRUE, FALSE, NULL);
    sigfillset(&action.sa_mask);
    EXPECT_EQ(sigaction(STOP, &action, NULL), 0);
    action.sa_handler = on_go;
    EXPECT_EQ(sigaction(GO, &action, NULL), 0);
    fleet_set_hook(fleet, in_entry_point, NULL);
    for (int i = 0; i < 10; i++)
        fleet_add(fleet, live, (void *)ways[i % 5]);
    world.expected = SCHEDULERS + 10;
    return fleet;
}

TEST(StoppedWorld, by_a_worker)
{
    struct fleet *fleet = make_world(0);

    world.expected++;
    fleet_add(fleet, stop_as_worker, NULL);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    CloseHandle(event);
}

TEST(StoppedWorld, by_a_thread)
{
    struct fleet *fleet = make_world(0);
    HANDLE thread = CreateThread(NULL, 0, stop_as_thread, NULL, 0, NULL);

    ASSERT_NE(thread, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(WaitForSingleObject(thread, 10000), (DWORD)WAIT_OBJECT_0);
    CloseHandle(thread);
    fleet_destroy(fleet);
    CloseHandle(event);
}
