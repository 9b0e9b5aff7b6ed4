/* SPDX-License-Identifier: MIT
 *
 * reused_numbers.c - a number that a worker has read from again and again becomes another file's.
 * The result never depends on what the engine remembers of a number.
 *
 * The number changes hands by bare system calls, which the library does not see.
 *
 * modes: ways, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "gtest_c.h"

#include <windows.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 6, NOBODY_ELSES = 300 };

static void put_on(int file, int number)
{
    EXPECT_EQ(syscall(SYS_dup2, file, number), number);
}

/* `number` becomes what the worker knows best: read from when there was something, and asked when
 * there was nothing. */
static void use_often(int number, int other_end)
{
    char bytes[8];

    for (int i = 0; i < TIMES; i++) {
        EXPECT_EQ(write(other_end, "abc", 3), 3);
        EXPECT_EQ(read(number, bytes, sizeof bytes), 3);
    }
}

typedef void made_pair(int *fd);

/* ---- Then something else is there ---- */

static void check_everything(struct block_case *c, made_pair *make)
{
    char name[] = "/tmp/umsshim-reused-XXXXXX", bytes[16] = "";
    int file = mkstemp(name), event = eventfd(7, EFD_CLOEXEC), other[2];
    uint64_t count = 0;

    unlink(name);
    EXPECT_EQ(pwrite(file, "0123456789", 10, 0), 10);
    make_pipe(other);
    for (int i = 0; i < TIMES; i++) {
        int fd[2], number;

        make(fd);
        /* Where no other thread's files come, which get the lowest number that is free. */
        number = fcntl(fd[0], F_DUPFD_CLOEXEC, NOBODY_ELSES);
        close(fd[0]);
        use_often(number, fd[1]);
        put_on(file, number);
        EXPECT_EQ(lseek(number, 4, SEEK_SET), 4);
        EXPECT_EQ(read(number, bytes, sizeof bytes), 6);
        EXPECT_EQ(memcmp(bytes, "456789", 6), 0);
        EXPECT_EQ(read(number, bytes, sizeof bytes), 0);
        put_on(event, number);
        EXPECT_EQ(write(event, &(uint64_t){7}, 8), 8);
        EXPECT_EQ(read(number, &count, sizeof count), 8);
        put_on(other[0], number);
        EXPECT_EQ(write(other[1], "pipe", 4), 4);
        EXPECT_EQ(read(number, bytes, sizeof bytes), 4);
        EXPECT_EQ(syscall(SYS_close, number), 0);
        EXPECT_ERRNO(read(number, bytes, sizeof bytes), EBADF);
        close(fd[1]);
    }
    close(file);
    close(event);
    close(other[0]);
    close(other[1]);
}

WORKER_TEST(ReusedNumbers, that_were_sockets)
{
    check_everything(c, make_sockets);
}

WORKER_TEST(ReusedNumbers, that_were_pipes)
{
    check_everything(c, make_pipe);
}

/* ---- A number that workers wait for again and again ---- */

/* Whether it has a place of its own in an epoll set of the engine's; the program has no set. */
static bool has_place(int number)
{
    DIR *all = opendir("/proc/self/fdinfo");
    bool found = false;

    for (struct dirent *one; all && !found && (one = readdir(all)) != NULL;) {
        char path[300], line[128];
        int target;
        FILE *info;

        snprintf(path, sizeof path, "/proc/self/fdinfo/%s", one->d_name);
        info = fopen(path, "re");
        while (info && fgets(line, sizeof line, info))
            found |= sscanf(line, "tfd: %d", &target) == 1 && target == number;
        if (info)
            fclose(info);
    }
    closedir(all);
    return found;
}

struct feeder {
    int fd;
    bool stop;
    sem_t asked;
};

/* A thread writes a byte for each read, after the read has waited for a while. */
static void *feed(void *arg)
{
    struct feeder *feeder = arg;

    for (;;) {
        EXPECT_EQ(sem_wait(&feeder->asked), 0);
        if (feeder->stop)
            return NULL;
        usleep(1500);
        EXPECT_EQ(write(feeder->fd, "-", 1), 1);
    }
}

static void wait_once(struct feeder *feeder, int number)
{
    char byte;

    EXPECT_EQ(sem_post(&feeder->asked), 0);
    EXPECT_EQ(read(number, &byte, 1), 1);
}

/* A wait that is short does not reach the epoll set: until the number has its place, and longer. */
static void wait_often(int number, int other_end)
{
    enum { MOST_WAITS = 2000 };
    struct feeder feeder = {.fd = other_end};
    pthread_t thread;
    int waits = 0;

    EXPECT_EQ(sem_init(&feeder.asked, 0, 0), 0);
    EXPECT_EQ(pthread_create(&thread, NULL, feed, &feeder), 0);
    while (!has_place(number) && waits++ < MOST_WAITS)
        wait_once(&feeder, number);
    for (int i = 0; i < TIMES; i++)
        wait_once(&feeder, number);
    EXPECT_THAT(has_place(number), "%d waits, and no place in the set", waits);
    feeder.stop = true;
    EXPECT_EQ(sem_post(&feeder.asked), 0);
    pthread_join(thread, NULL);
    sem_destroy(&feeder.asked);
}

/* fd 0: the number; 1: the other end of what it is while the read begins; 2, 3: what is put there
 * meanwhile. `number`: worker 0 is about to read. */
static void read_x(struct block_case *c)
{
    char byte = 0;

    __atomic_store_n(&c->number, 1, __ATOMIC_RELEASE);
    EXPECT_EQ(read(c->fd[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
}

/* On the reader's scheduler: so it has left that one. It holds its file when two ticks of the
 * lane's timer are over (poller.c). The timer ends the sleeps as well, each behind a tick. */
static void await_reader(struct block_case *c)
{
    while (!__atomic_load_n(&c->number, __ATOMIC_ACQUIRE))
        usleep(1000);
    for (int i = 0; i < 3; i++)
        Sleep(1);
}

/* The read goes on with its own file, as in the kernel, and the next one finds the new one. */
static void take_the_number(struct block_case *c)
{
    await_reader(c);
    put_on(c->fd[2], c->fd[0]);
    EXPECT_EQ(write(c->fd[3], "y", 1), 1);
    usleep(3000);
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

static void read_twice(struct block_case *c)
{
    char byte = 0;

    wait_often(c->fd[0], c->fd[1]);
    read_x(c);
    EXPECT_EQ(read(c->fd[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
}

static void run_taken(made_pair *make)
{
    struct block_case c = {.block = read_twice, .complete = take_the_number};

    make(c.fd);
    make(c.fd + 2);
    run_block_case(&c);
    close_all(&c);
}

TEST(ReusedNumbers, taken_from_a_read_of_a_socket)
{
    run_taken(make_sockets);
}

TEST(ReusedNumbers, taken_from_a_read_of_a_pipe)
{
    run_taken(make_pipe);
}

/* ---- Who hears that it is closed ---- */

/* After waits the worker closes its end: the other one is told at once, whoever closes, and how. */
static void wait_and_close(struct block_case *c)
{
    int number = c->fd[0];
    char byte;

    wait_often(number, c->fd[1]);
    read_x(c);
    EXPECT_EQ(syscall(SYS_close, number), 0);
    EXPECT_EQ(recv(c->fd[1], &byte, 1, MSG_DONTWAIT), 0);
    EXPECT_EQ(has_place(number), 0);
    c->fd[0] = -1;
}

static void write_x(struct block_case *c)
{
    await_reader(c);
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

BLOCK_TEST(ReusedNumbers, closed_after_waits, .make = make_sockets, .block = wait_and_close,
           .complete = write_x)

/* A child keeps the old file open: nothing of it concerns the number's next one. */
static void wait_on_the_next_one(struct block_case *c)
{
    char byte = 0;

    wait_often(c->fd[0], c->fd[1]);
    read_x(c);
    pid_t child = fork();
    if (!child) {
        pause();
        _exit(1);
    }
    put_on(c->fd[2], c->fd[0]);
    EXPECT_EQ(read(c->fd[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    EXPECT_EQ(kill(child, SIGKILL), 0);
    EXPECT_EQ(waitpid(child, NULL, 0), child);
}

static void write_to_both(struct block_case *c)
{
    write_x(c);
    usleep(20000);
    EXPECT_EQ(write(c->fd[1], "x", 1), 1); /* nobody's */
    usleep(20000);
    EXPECT_EQ(write(c->fd[3], "y", 1), 1);
}

TEST(ReusedNumbers, a_child_keeps_the_old_file)
{
    struct block_case c = {.block = wait_on_the_next_one, .complete = write_to_both};

    make_sockets(c.fd);
    make_sockets(c.fd + 2);
    run_block_case(&c);
    close_all(&c);
}

/* ---- Several on one number ---- */

static void read_one_each(struct block_case *c)
{
    for (int i = 0; i < TIMES; i++)
        read_x(c);
}

/* A thread writes a byte at a time, so that both readers wait again and again. */
static void *write_for_both(void *arg)
{
    for (int i = 0; i < 2 * TIMES; i++) {
        usleep(1000);
        EXPECT_EQ(write(*(int *)arg, "x", 1), 1);
    }
    return NULL;
}

static void read_as_well(struct block_case *c)
{
    pthread_t writer;

    EXPECT_EQ(pthread_create(&writer, NULL, write_for_both, &c->fd[1]), 0);
    read_one_each(c);
    pthread_join(writer, NULL);
}

BLOCK_TEST(ReusedNumbers, read_by_two, .make = make_sockets, .block = read_one_each,
           .complete = read_as_well)

/* One descriptor, both directions: a writer waits for room while a reader waits for bytes. */
static void write_much(struct block_case *c)
{
    char *bytes = calloc(1, 1 << 20);

    for (int i = 0; i < TIMES; i++)
        EXPECT_EQ(write(c->fd[0], bytes, 1 << 20), 1 << 20);
    free(bytes);
}

static void drain_and_answer(struct block_case *c)
{
    usleep(3000);
    EXPECT_EQ(drain_some(c->fd[1], (size_t)TIMES << 20), (size_t)TIMES << 20);
}

BLOCK_TEST(ReusedNumbers, written_while_nobody_drains, .make = make_sockets, .block = write_much,
           .complete = drain_and_answer)
