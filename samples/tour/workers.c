/* SPDX-License-Identifier: MIT
 *
 * workers.c - the workers, and the plain threads that send them what they wait for.
 *
 * A worker is an ordinary thread function: read, nanosleep and pthread_mutex_lock are libc's own.
 */
#include "tour.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 16 };

static void nap(unsigned milliseconds)
{
    struct timespec time = {.tv_sec = milliseconds / 1000,
                            .tv_nsec = (long)(milliseconds % 1000) * 1000000};

    while (nanosleep(&time, &time) != 0 && errno == EINTR) {
    }
}

/* The parameter is the program's own: the yield count, so that the timeline has one to show. */
static void yield(struct worker *self)
{
    self->yields_made++;
    UmsThreadYield((PVOID)self->yields_made);
}

static void note_call(struct worker *self, uint64_t start_ns)
{
    if (now_ns() - start_ns >= 1000000)
        self->long_calls++;
}

static void receive(struct worker *self, int fd, const char *expected)
{
    char text[MESSAGE_BYTES] = "";
    uint64_t start = now_ns();
    ssize_t got = read(fd, text, sizeof(text));

    note_call(self, start);
    if (got != sizeof(text) || memcmp(text, expected, sizeof(text)) != 0)
        tour.data_wrong = true;
}

static void message(char text[MESSAGE_BYTES], const char *what, int number)
{
    memset(text, 0, MESSAGE_BYTES);
    snprintf(text, MESSAGE_BYTES, "%.8s %d", what, number);
}

static DWORD read_socket(struct worker *self)
{
    char expected[MESSAGE_BYTES];

    for (int i = 0; i < MESSAGES; i++) {
        message(expected, "message", i);
        receive(self, tour.socket[0], expected);
    }
    tour.busy--;
    return 100 + (DWORD)self->index;
}

static DWORD sleep_often(struct worker *self)
{
    for (int i = 0; i < NAPS; i++) {
        uint64_t start = now_ns();

        nap(NAP_MS);
        note_call(self, start);
    }
    tour.busy--;
    return 100 + (DWORD)self->index;
}

static void lock(struct worker *self)
{
    uint64_t start = now_ns();

    pthread_mutex_lock(&tour.mutex);
    note_call(self, start);
    if (++tour.inside != 1)
        tour.collisions++;
}

static void unlock(void)
{
    tour.inside--;
    pthread_mutex_unlock(&tour.mutex);
}

/* Blocks in read while it holds the mutex that the contender wants. */
static DWORD hold_mutex(struct worker *self)
{
    char expected[MESSAGE_BYTES];

    for (int i = 0; i < ROUNDS; i++) {
        while (tour.rounds_contended < i)
            yield(self);
        lock(self);
        tour.rounds_locked = i + 1;
        atomic_store(&tour.rounds_reading, i + 1);
        message(expected, "release", i);
        receive(self, tour.pipe[0], expected);
        unlock();
    }
    tour.busy--;
    return 100 + (DWORD)self->index;
}

/* Wants the mutex each time the holder has just taken it. */
static DWORD contend_mutex(struct worker *self)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (tour.rounds_locked <= i)
            yield(self);
        lock(self);
        tour.rounds_contended = i + 1;
        unlock();
    }
    tour.busy--;
    return 100 + (DWORD)self->index;
}

static DWORD spin(struct worker *self)
{
    while (tour.busy > 0) {
        uint64_t end = now_ns() + SPIN_US * UINT64_C(1000);

        while (now_ns() < end)
            self->worked++;
        yield(self);
    }
    return 100 + (DWORD)self->index;
}

/* ---- The plain threads ----------------------------------------------------------------------- */

static void *feed_socket(void *arg)
{
    char text[MESSAGE_BYTES];

    (void)arg;
    for (int i = 0; i < MESSAGES; i++) {
        nap(MESSAGE_MS);
        message(text, "message", i);
        if (write(tour.socket[1], text, sizeof(text)) != sizeof(text))
            break; /* the reader's check will tell */
    }
    return NULL;
}

static void *feed_pipe(void *arg)
{
    char text[MESSAGE_BYTES];

    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load(&tour.rounds_reading) <= i)
            nap(1);
        nap(HOLD_MS);
        message(text, "release", i);
        if (write(tour.pipe[1], text, sizeof(text)) != sizeof(text))
            break;
    }
    return NULL;
}

bool start_feeders(pthread_t feeders[2])
{
    return pthread_create(&feeders[0], NULL, feed_socket, NULL) == 0 &&
           pthread_create(&feeders[1], NULL, feed_pipe, NULL) == 0;
}

/* ---- Creation -------------------------------------------------------------------------------- */

static DWORD WINAPI worker_main(LPVOID param)
{
    struct worker *self = param;

    return self->body(self);
}

/* Traces, debuggers and reports about a hang show the name. */
void name_thread(HANDLE thread, const char *name)
{
    WCHAR wide[32];
    size_t i = 0;

    do
        wide[i] = (WCHAR)name[i];
    while (name[i++] && i < sizeof(wide) / sizeof(wide[0]));
    wide[sizeof(wide) / sizeof(wide[0]) - 1] = 0;
    SetThreadDescription(thread, wide);
}

static bool create_worker(struct worker *worker)
{
    _Alignas(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof(room);
    UMS_CREATE_THREAD_ATTRIBUTES ums = {.UmsVersion = UMS_VERSION, .UmsCompletionList = tour.list};

    worker->new_one = true;
    if (!CreateUmsThreadContext(&worker->context) ||
        !SetUmsThreadInformation(worker->context, UmsThreadUserContext, &worker, sizeof(worker)))
        return false;
    ums.UmsContext = worker->context;
    if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof(ums), NULL, NULL))
        return false;
    worker->thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, worker_main, worker, 0,
                                          attributes, NULL);
    DeleteProcThreadAttributeList(attributes);
    if (worker->thread)
        name_thread(worker->thread, worker->name);
    return worker->thread != NULL;
}

bool create_workers(void)
{
    static const struct worker cast[] = {
        {.name = "reader", .does = "reads messages from a socket", .body = read_socket},
        {.name = "sleeper", .does = "sleeps with nanosleep", .body = sleep_often},
        {.name = "holder", .does = "reads from a pipe while it holds a mutex", .body = hold_mutex},
        {.name = "contender", .does = "wants the holder's mutex", .body = contend_mutex},
        {.name = "spinner-1", .does = "computes and yields", .body = spin, .computes = true},
        {.name = "spinner-2", .does = "computes and yields", .body = spin, .computes = true},
    };

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, tour.socket) != 0 || pipe(tour.pipe) != 0 ||
        pthread_mutex_init(&tour.mutex, NULL) != 0)
        return false;
    tour.worker_count = sizeof(cast) / sizeof(cast[0]);
    for (int i = 0; i < tour.worker_count; i++) {
        struct worker *worker = &tour.workers[i];

        *worker = cast[i];
        worker->index = i;
        if (worker->body != spin)
            tour.busy++;
        if (!create_worker(worker)) {
            fprintf(stderr, "tour: creating %s failed, last error %lu\n", worker->name,
                    (unsigned long)GetLastError());
            return false;
        }
    }
    return true;
}
