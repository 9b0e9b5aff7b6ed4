/* SPDX-License-Identifier: MIT
 *
 * requests.c - asynchronous I/O.
 */
#include "assertion.h"

#include <aio.h>
#include <fcntl.h>
#include <signal.h>

static int fd;
static char buffer[4][512];
static struct aiocb blocks[4];

static void open_file(void)
{
    char name[] = "/tmp/posix-XXXXXX";
    fd = mkstemp(name);
    EXPECT(fd >= 0);
    unlink(name);
}

static struct aiocb *request(int n, int operation, struct sigevent event)
{
    memset(buffer[n], 'a' + n, sizeof buffer[n]);
    blocks[n] = (struct aiocb){.aio_fildes = fd,
                               .aio_buf = buffer[n],
                               .aio_nbytes = sizeof buffer[n],
                               .aio_offset = n * (off_t)sizeof buffer[n],
                               .aio_lio_opcode = operation,
                               .aio_sigevent = event};
    return &blocks[n];
}

static struct sigevent nothing = {.sigev_notify = SIGEV_NONE};

static int finish(struct aiocb *block)
{
    const struct aiocb *list[] = {block};
    while (aio_error(block) == EINPROGRESS)
        EXPECT(aio_suspend(list, 1, NULL) == 0 || errno == EINTR);
    return aio_error(block);
}

ASSERTION(write_then_read)
{
    open_file();
    struct aiocb *block = request(1, 0, nothing);
    EXPECT_EQ(aio_write(block), 0);
    EXPECT_EQ(finish(block), 0);
    EXPECT_EQ(aio_return(block), 512);
    memset(buffer[1], 0, 512);
    EXPECT_EQ(aio_read(block), 0);
    EXPECT_EQ(finish(block), 0);
    EXPECT_EQ(aio_return(block), 512);
    EXPECT_EQ(buffer[1][511], 'b');
    EXPECT_EQ(aio_fsync(O_SYNC, block), 0);
    EXPECT_EQ(finish(block), 0);
}

ASSERTION(a_bad_descriptor_is_told)
{
    struct aiocb *block = request(0, 0, nothing);
    block->aio_fildes = 987;
    if (aio_read(block) == 0) {
        EXPECT_EQ(finish(block), EBADF);
        EXPECT_EQ(aio_return(block), -1);
    } else {
        EXPECT_EQ(errno, EBADF);
    }
}

ASSERTION(a_list_is_waited_for)
{
    struct aiocb *list[4];
    open_file();
    for (int i = 0; i < 4; i++)
        list[i] = request(i, LIO_WRITE, nothing);
    EXPECT_EQ(lio_listio(LIO_WAIT, list, 4, NULL), 0);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(aio_return(list[i]), 512);
    EXPECT_ERRNO(lio_listio(77, list, 4, NULL), EINVAL);
}

static volatile int told;
static void tell(union sigval value)
{
    set(&told, value.sival_int);
}
ASSERTION(completion_starts_a_thread)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tell};
    event.sigev_value.sival_int = 3;
    open_file();
    EXPECT_EQ(aio_write(request(0, 0, event)), 0);
    EXPECT(comes_true(&told));
    EXPECT_EQ(told, 3);
}

static volatile sig_atomic_t signals, values;
static void on_signal(int sig, siginfo_t *info, void *unused)
{
    values += info->si_value.sival_int;
    signals++;
}
ASSERTION(completion_sends_a_signal)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    EXPECT_EQ(sigaction(SIGRTMIN + 1, &action, NULL), 0);
    open_file();
    for (int i = 0; i < 4; i++) {
        event.sigev_value.sival_int = 1 << i;
        EXPECT_EQ(aio_write(request(i, 0, event)), 0);
    }
    for (int i = 0; i < 5000 && signals < 4; i++)
        sleep_ms(1);
    EXPECT_EQ(signals, 4);
    EXPECT_EQ(values, 15);
}

ASSERTION(what_waits_is_cancelled_or_not)
{
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    fd = ends[0];
    struct aiocb *first = request(0, 0, nothing), *second = request(1, 0, nothing);
    EXPECT_EQ(aio_read(first), 0);
    EXPECT_EQ(aio_read(second), 0);
    sleep_ms(50);
    int r = aio_cancel(fd, NULL);
    EXPECT(r == AIO_CANCELED || r == AIO_NOTCANCELED);
    const struct aiocb *list[] = {first};
    if (aio_error(first) == EINPROGRESS) {
        EXPECT_ERRNO(aio_suspend(list, 1, &(struct timespec){0, 50000000}), EAGAIN);
        EXPECT_EQ(write(ends[1], "x", 1), 1);
        EXPECT_EQ(finish(first), 0);
        EXPECT_EQ(aio_return(first), 1);
    } else {
        EXPECT_EQ(aio_error(first), ECANCELED);
    }
}
