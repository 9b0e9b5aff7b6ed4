/* SPDX-License-Identifier: MIT
 *
 * notified_calls.c - a notification only tells of a call. No thread stays in the kernel for it, a
 * signal that comes late changes nothing, and if SIGSYS is blocked the call keeps its processor.
 *
 * modes: default, UMSSHIM_DETECT=notify
 */
#include "bare_call.h"
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "tasks_in.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { MANY = 100, LIMIT_MS = 20000, MARK_OF_FILTER = 0x554d };

/* ---- Stopped from outside ------------------------ */

static int many_pipe[2], ready_pair[2];

static void read_one_bare(struct worker *self)
{
    char byte = 0;

    EXPECT_EQ(bare_call(SYS_read, many_pipe[0], &byte, 1), 1);
}

/* A call stands in the kernel only until its worker has left the scheduler. */
static void wait_until_blocked(struct fleet *fleet)
{
    long long began = now_ms();

    for (int i = 0; i < MANY; i++) {
        const long *blocked = &fleet_worker(fleet, i)->blocked;

        while (!__atomic_load_n(blocked, __ATOMIC_ACQUIRE) && now_ms() - began < LIMIT_MS)
            usleep(1000);
        EXPECT_GE(__atomic_load_n(blocked, __ATOMIC_ACQUIRE), 1);
    }
}

static void *say_ready_and_feed(void *fleet)
{
    char bytes[MANY] = {0}, byte;

    wait_until_blocked(fleet);
    EXPECT_EQ(tasks_in(SYS_read, SYS_read), 0);
    EXPECT_EQ(write(ready_pair[1], "r", 1), 1);
    EXPECT_EQ(read(ready_pair[1], &byte, 1), 1); /* the parent has looked */
    EXPECT_EQ(write(many_pipe[1], bytes, MANY), MANY);
    return NULL;
}

static int read_in_many_workers(void *unused)
{
    struct fleet *fleet = fleet_create(1, MANY, 0);
    pthread_t feeder;

    EXPECT_EQ(pipe(many_pipe), 0);
    for (int i = 0; i < MANY; i++)
        fleet_add(fleet, read_one_bare, NULL);
    EXPECT_EQ(pthread_create(&feeder, NULL, say_ready_and_feed, fleet), 0);
    EXPECT_OK(fleet_run(fleet));
    pthread_join(feeder, NULL);
    fleet_destroy(fleet);
    return tc_failures() ? 1 : 0;
}

/* Stops each thread of the process, as a debugger does that attaches. */
static int stop_each_task(int process)
{
    char path[64];
    struct dirent *entry;
    int stopped = 0;
    DIR *tasks;

    snprintf(path, sizeof path, "/proc/%d/task", process);
    tasks = opendir(path);
    while (tasks && (entry = readdir(tasks))) {
        pid_t tid = (pid_t)atol(entry->d_name);
        long long began = now_ms();
        int state = 0;

        if (!tid || ptrace(PTRACE_SEIZE, tid, 0, 0))
            continue;
        EXPECT_EQ(ptrace(PTRACE_INTERRUPT, tid, 0, 0), 0);
        while (waitpid(tid, &state, __WALL | WNOHANG) == 0 && now_ms() - began < 5000)
            usleep(1000);
        EXPECT_THAT(now_ms() - began < 5000, "thread %d does not stop", (int)tid);
        if (WIFEXITED(state))
            continue; /* one that waits for a worker to come: there are more than needed */
        EXPECT_EQ(ptrace(PTRACE_DETACH, tid, 0, 0), 0);
        stopped++;
    }
    if (tasks)
        closedir(tasks);
    return stopped;
}

TEST(NotifiedCalls, a_debugger_stops_every_thread)
{
    struct child_result result;
    struct child child;
    char byte;

    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ready_pair), 0);
    child = child_start(read_in_many_workers, NULL);
    close(ready_pair[1]);
    ASSERT_EQ(read(ready_pair[0], &byte, 1), 1);
    EXPECT_GE(stop_each_task(child.pid), MANY);
    EXPECT_EQ(write(ready_pair[0], "g", 1), 1);
    result = child_wait(child, LIMIT_MS);
    EXPECT_CHILD_OK(result);
    close(ready_pair[0]);
}

/* ---- Where SIGSYS is blocked ------------------------ */

/* The kernel's mask of the carrier, past the library: rt_sigreturn loads what it is given. */
static __attribute__((noinline)) void load_kernel_mask(uint64_t mask)
{
    ucontext_t frame = {.uc_stack = {.ss_size = 1}}; /* is refused, and nothing is changed */
    greg_t *registers = frame.uc_mcontext.gregs;

    memcpy(&frame.uc_sigmask, &mask, sizeof mask);
    registers[REG_EFL] = 0x202;
    registers[REG_CSGSFS] = 0x33;
    __asm__ volatile("mov %%rsp, 160(%0)\n\t"
                     "mov %%rbp, 120(%0)\n\t"
                     "mov %%rbx, 128(%0)\n\t"
                     "lea 1f(%%rip), %%rax\n\t"
                     "mov %%rax, 168(%0)\n\t"
                     "mov %0, %%rsp\n\t"
                     "mov $15, %%eax\n\t"
                     "syscall\n"
                     "1:"
                     :
                     : "r"(registers - 5)
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
                       "r14", "r15", "memory", "cc");
}

static uint64_t mask_of_carrier(bool with_sigsys)
{
    static const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSTKFLT};
    uint64_t mask = ~0ull;

    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        mask &= ~(1ull << (open[i] - 1));
    return with_sigsys ? mask : mask & ~(1ull << (SIGSYS - 1));
}

static int fed[2];

static void *feed(void *unused)
{
    usleep(100000);
    EXPECT_EQ(write(fed[1], "x", 1), 1);
    return unused;
}

static void read_blocked(struct worker *self)
{
    pthread_t feeder;
    char byte = 0;

    EXPECT_EQ(pthread_create(&feeder, NULL, feed, NULL), 0);
    load_kernel_mask(mask_of_carrier(true));
    EXPECT_EQ(bare_call(SYS_read, fed[0], &byte, 1), 1); /* in the kernel, on this carrier */
    EXPECT_EQ(byte, 'x');
    load_kernel_mask(mask_of_carrier(false)); /* the message arrives, and is late */
    EXPECT_EQ(pthread_join(feeder, NULL), 0);
}

static void run_read_blocked(void)
{
    ASSERT_EQ(pipe(fed), 0);
    FLEET_RUN(1, 0, {1, read_blocked, NULL});
    close(fed[0]);
    close(fed[1]);
}

TEST(NotifiedCalls, keep_their_processor_where_sigsys_is_blocked)
{
    run_read_blocked();
}

/* When the user's queue of signals is full the kernel sends the messenger's message without its
 * value. It looks then like a `kill` by a process of another namespace, and only the note that it
 * was sent tells the two apart. */
TEST(NotifiedCalls, and_where_the_queue_of_signals_is_full)
{
    struct rlimit limit, none;

    ASSERT_EQ(getrlimit(RLIMIT_SIGPENDING, &limit), 0);
    none = limit;
    none.rlim_cur = 0;
    ASSERT_EQ(setrlimit(RLIMIT_SIGPENDING, &none), 0);
    run_read_blocked();
    ASSERT_EQ(setrlimit(RLIMIT_SIGPENDING, &limit), 0);
}

/* ---- Late messages ------------------------ */

enum { ROUNDS = 400 };
static int there[2], back[2];
static _Atomic bool played;

static void serve(struct worker *self)
{
    char byte = 0;

    for (int i = 0; i < ROUNDS; i++) {
        EXPECT_EQ(bare_call(SYS_write, there[1], &(char){(char)i}, 1), 1);
        EXPECT_EQ(bare_call(SYS_read, back[0], &byte, 1), 1);
        EXPECT_EQ(byte, (char)i);
    }
}

static void give_back(struct worker *self)
{
    char byte = 0;

    for (int i = 0; i < ROUNDS; i++) {
        EXPECT_EQ(bare_call(SYS_read, there[0], &byte, 1), 1);
        EXPECT_EQ(bare_call(SYS_write, back[1], &byte, 1), 1);
    }
}

static bool has_filter(const char *tid)
{
    char path[64], text[4096];
    FILE *file;
    size_t length;

    snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
    file = fopen(path, "re");
    length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    return strstr(text, "\nSeccomp:\t2") != NULL;
}

/* Sends messages about calls that the threads do not make, as if another signal had taken them off
 * the calls before. Threads that trap get none, and the messenger sends them none either: the
 * kernel drops a trap that comes while a SIGSYS is pending. */
static void *send_late_ones(void *unused)
{
    siginfo_t info = {
        .si_signo = SIGSYS, .si_errno = MARK_OF_FILTER, .si_code = SI_QUEUE, .si_pid = 4711};

    while (!atomic_load(&played)) {
        DIR *tasks = opendir("/proc/self/task");
        struct dirent *entry;

        while (tasks && (entry = readdir(tasks)))
            if (atol(entry->d_name) && has_filter(entry->d_name))
                syscall(SYS_rt_tgsigqueueinfo, getpid(), atol(entry->d_name), SIGSYS, &info);
        closedir(tasks);
        usleep(200);
    }
    return unused;
}

TEST(NotifiedCalls, late_messages_change_nothing)
{
    const char *only = getenv("UMSSHIM_DETECT");
    struct fleet *fleet;
    pthread_t sender;

    if (!only || strcmp(only, "notify") != 0)
        SKIP("carriers come to trap here, and get no messages then: UMSSHIM_DETECT=notify has it");
    fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    ASSERT_EQ(pipe(there), 0);
    ASSERT_EQ(pipe(back), 0);
    fleet_add(fleet, serve, NULL);
    fleet_add(fleet, give_back, NULL);
    atomic_store(&played, false);
    ASSERT_EQ(pthread_create(&sender, NULL, send_late_ones, NULL), 0);
    EXPECT_OK(fleet_run(fleet));
    atomic_store(&played, true);
    pthread_join(sender, NULL);
    fleet_destroy(fleet);
}

/* ---- From one place again and again ------------------------ */

/* No jump fits before this `syscall`: something jumps there. */
long read_without_room(long nr, long fd, void *byte, long bytes);
__asm__(".text\n"
        ".type read_without_room, @function\n"
        "read_without_room:\n"
        ".cfi_startproc\n"
        "mov %rdi, %rax\n"
        "mov %rsi, %rdi\n"
        "mov %rdx, %rsi\n"
        "mov %rcx, %rdx\n"
        "test %rax, %rax\n"
        "jz 1f\n"
        "1: syscall\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size read_without_room, . - read_without_room\n");

/* How many filters the kernel thread has that is here. */
static int filters_here(void)
{
    char text[4096];
    FILE *file = fopen("/proc/thread-self/status", "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    const char *line;

    if (file)
        fclose(file);
    text[length] = '\0';
    line = strstr(text, "\nSeccomp_filters:");
    return line ? atoi(line + strlen("\nSeccomp_filters:")) : -1;
}

static int filters_after;

static void read_often(struct worker *self)
{
    int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    char byte = 1;

    for (int i = 0; i < 50; i++)
        EXPECT_EQ(read_without_room(SYS_read, zero, &byte, 1), 1);
    filters_after = filters_here();
    close(zero);
}

TEST(NotifiedCalls, from_one_place_are_trapped_after_a_while)
{
    const char *only = getenv("UMSSHIM_DETECT");

    FLEET_RUN(1, 0, {1, read_often, NULL});
    if (filters_after < 0)
        SKIP("/proc does not tell how many filters a thread has");
    EXPECT_EQ(filters_after, filters_here() + (only ? 1 : 2));
}
