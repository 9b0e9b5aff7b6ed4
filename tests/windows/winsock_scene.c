/* SPDX-License-Identifier: MIT
 *
 * winsock_scene.c - see winsock_scene.h.
 */
#include "winsock_scene.h"

#include "gtest_c.h"
#include "stopwatch.h"

#include <string.h>

/* The call waits undisturbed for so long: a Blocked that came for another reason is over by then, and the worker
 * would be back in its call, holding its scheduler up, if that were not seen. */
enum { UNDISTURBED_MS = 20, BUFFER_BYTES = 32 << 10, CHUNK = 4096 };

static char room[LARGE];

void scene_breathe(void)
{
    if (worker_self())
        UmsThreadYield(NULL);
    else
        Sleep(1);
}

void scene_result(struct scene *scene, long long result)
{
    int error = WSAGetLastError();

    scene->result = result;
    scene->error = result == -1 ? error : 0;
}

/* ---- Sockets ------------------------------------------------------------------------------------- */

static void buffer(SOCKET socket, int which)
{
    int bytes = BUFFER_BYTES;

    EXPECT_EQ(setsockopt(socket, SOL_SOCKET, which, (char *)&bytes, sizeof bytes), 0);
}

/* Its receive buffer has a fixed size: else the system makes it larger when the reader is late, and what was full is
 * not any more. */
static SOCKET new_socket(const struct scene *scene)
{
    SOCKET socket = WSASocketA(AF_INET, SOCK_STREAM, IPPROTO_TCP, NULL, 0,
                               scene->synchronous ? 0 : WSA_FLAG_OVERLAPPED);

    EXPECT_NE(socket, NONE);
    buffer(socket, SO_RCVBUF);
    return socket;
}

void make_listener(struct scene *scene, int backlog)
{
    int length = sizeof scene->address;

    scene->listener = new_socket(scene);
    scene->address.sin_family = AF_INET;
    scene->address.sin_port = 0;
    scene->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(scene->listener, (void *)&scene->address, length), 0);
    EXPECT_EQ(getsockname(scene->listener, (void *)&scene->address, &length), 0);
    EXPECT_EQ(listen(scene->listener, backlog), 0);
}

void set_blocking(SOCKET socket, bool blocking)
{
    u_long off = !blocking;

    EXPECT_EQ(ioctlsocket(socket, FIONBIO, &off), 0);
}

SOCKET make_client(struct scene *scene, bool blocking)
{
    SOCKET client = new_socket(scene);

    if (!blocking)
        set_blocking(client, false);
    if (connect(client, (void *)&scene->address, sizeof scene->address))
        EXPECT_THAT(!blocking && WSAGetLastError() == WSAEWOULDBLOCK, "error %d",
                    WSAGetLastError());
    return client;
}

void make_pair(struct scene *scene)
{
    make_listener(scene, 1);
    scene->there = make_client(scene, true);
    scene->here = accept(scene->listener, NULL, NULL);
    EXPECT_NE(scene->here, NONE);
}

static bool takes_more(SOCKET socket)
{
    struct timeval settled = {.tv_usec = 200000};
    fd_set writable;

    FD_ZERO(&writable);
    FD_SET(socket, &writable);
    return select(0, NULL, &writable, NULL, &settled) == 1;
}

/* By select, not as a non-blocking socket: under Wine 10 a synchronous one waits all the same. */
static size_t fill_up(SOCKET socket)
{
    static const char chunk[CHUNK];
    size_t bytes = 0;

    buffer(socket, SO_SNDBUF);
    while (takes_more(socket)) {
        int sent = send(socket, chunk, sizeof chunk, 0);

        if (!EXPECT_OK(sent > 0))
            break;
        bytes += (size_t)sent;
    }
    return bytes;
}

static void close_if_open(SOCKET socket)
{
    if (socket != NONE)
        EXPECT_EQ(closesocket(socket), 0);
}

static void clean_up(struct scene *scene)
{
    close_if_open(scene->here);
    close_if_open(scene->there);
    close_if_open(scene->listener);
    while (scene->more_count > 0)
        close_if_open(scene->more[--scene->more_count]);
    if (scene->event != WSA_INVALID_EVENT)
        EXPECT_OK(WSACloseEvent(scene->event));
}

static void set_up(struct scene *scene)
{
    scene->listener = scene->here = scene->there = NONE;
    scene->event = WSA_INVALID_EVENT;
    scene->prepare(scene);
}

/* ---- Steps of more than one scene ----------------------------------------------------------------- */

void prepare_listener(struct scene *scene)
{
    make_listener(scene, 1);
}

void accepted(struct scene *scene, SOCKET socket)
{
    scene->here = socket;
    scene_result(scene, socket == NONE ? -1 : 0);
    if (socket != NONE)
        EXPECT_EQ(recv(socket, room, 5, 0), 5);
}

void wait_accept(struct scene *scene)
{
    accepted(scene, accept(scene->listener, NULL, NULL));
}

void wait_recv(struct scene *scene)
{
    char text[8] = "";

    scene_result(scene, recv(scene->here, text, sizeof text, 0));
    if (scene->result > 0)
        EXPECT_STREQ(text, "hello");
}

void prepare_full(struct scene *scene)
{
    make_pair(scene);
    scene->filled = fill_up(scene->here);
}

void wait_send(struct scene *scene)
{
    scene_result(scene, send(scene->here, room, LARGE, 0));
}

/* ---- On threads ---------------------------------------------------------------------------------- */

static DWORD WINAPI waiting_thread(LPVOID param)
{
    struct scene *scene = param;

    flag_set(&scene->entered, 1);
    scene->wait(scene);
    flag_set(&scene->returned, 1);
    return 0;
}

static void run_on_threads(struct scene *scene)
{
    HANDLE thread = CreateThread(NULL, 0, waiting_thread, scene, 0, NULL);

    ASSERT_OK(thread != NULL);
    if (EXPECT_OK(wait_until(&scene->entered, SCENE_MS)) && scene->complete) {
        Sleep(UNDISTURBED_MS);
        scene->complete(scene);
    }
    EXPECT_EQ(WaitForSingleObject(thread, SCENE_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}

/* ---- In workers ---------------------------------------------------------------------------------- */

struct run {
    struct scene *scene;
    struct worker *waiter;
    /* Within the call; written in the scheduler's entry point. */
    int blocked, not_system_calls;
    int turns; /* of the bystander, within the call */
};

static void waiting_worker(struct worker *self)
{
    struct run *run = self->arg;

    flag_set(&run->scene->entered, 1);
    run->scene->wait(run->scene);
    flag_set(&run->scene->returned, 1);
}

static void completing_worker(struct worker *self)
{
    struct run *run = self->arg;
    ULONGLONG begin;

    if (!run->scene->complete || !yield_until(&run->scene->entered) || !yield_until(&run->blocked))
        return;
    begin = stopwatch();
    while (stopwatch() - begin < UNDISTURBED_MS ||
           (flag_get(&run->turns) < 2 && stopwatch() - begin < SCENE_MS))
        UmsThreadYield(NULL);
    EXPECT_EQ(flag_get(&run->scene->returned), 0);
    run->scene->complete(run->scene);
}

static void bystander(struct worker *self)
{
    struct run *run = self->arg;
    ULONGLONG begin = stopwatch();

    while (!flag_get(&run->scene->returned) && stopwatch() - begin < SCENE_MS) {
        if (flag_get(&run->scene->entered))
            flag_add(&run->turns, 1);
        UmsThreadYield(NULL);
    }
}

static void look(const struct activation *activation, void *arg)
{
    struct run *run = arg;

    if (activation->reason != UmsSchedulerThreadBlocked || activation->who != run->waiter ||
        !flag_get(&run->scene->entered) || flag_get(&run->scene->returned))
        return;
    if (!(activation->payload & 1))
        flag_add(&run->not_system_calls, 1);
    flag_add(&run->blocked, 1);
}

static void run_in_workers(struct scene *scene)
{
    struct fleet *fleet = fleet_create(1, 3, 0);
    struct run run = {.scene = scene};

    ASSERT_NE(fleet, NULL);
    run.waiter = fleet_add(fleet, waiting_worker, &run);
    fleet_add(fleet, completing_worker, &run);
    fleet_add(fleet, bystander, &run);
    fleet_set_hook(fleet, look, &run);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_GT(run.blocked, 0);
    EXPECT_EQ(run.not_system_calls, 0);
    EXPECT_GE(run.turns, scene->complete ? 2 : 1);
    EXPECT_GE(run.waiter->arrivals, run.blocked);
    fleet_destroy(fleet);
}

/* ---- Both ---------------------------------------------------------------------------------------- */

static void judge(const struct scene *scene, const char *where, long long result, int error)
{
    EXPECT_THAT(scene->returned, "%s %s: it has not returned", scene->name, where);
    EXPECT_THAT(scene->result == result && (error == ANY_ERROR || scene->error == error),
                "%s%s %s: %lld and error %d, not %lld and %d", scene->name,
                scene->synchronous ? ", synchronous," : "", where, scene->result, scene->error,
                result, error);
}

static void play_kind(const struct scene *pattern, unsigned ways, long long result, int error)
{
    struct scene on_thread = *pattern, in_worker = *pattern;
    int before = tc_failures();

    if (!(ways & NO_THREAD)) {
        set_up(&on_thread);
        run_on_threads(&on_thread);
        judge(&on_thread, "on a thread", result, error);
        clean_up(&on_thread);
    }
    set_up(&in_worker);
    run_in_workers(&in_worker);
    judge(&in_worker, "in a worker", result, error);
    clean_up(&in_worker);
    if (tc_failures() != before)
        tc_note("the scene was: %s%s", pattern->name, pattern->synchronous ? ", synchronous" : "");
}

void play(unsigned ways, const char *name, scene_step prepare, scene_step wait, scene_step complete,
          long long result, int error)
{
    struct scene scene = {.name = name, .prepare = prepare, .wait = wait, .complete = complete};
    WSADATA data;

    ASSERT_EQ(WSAStartup(MAKEWORD(2, 2), &data), 0);
    if (ways & OVERLAPPED_SOCKET)
        play_kind(&scene, ways, result, error);
    scene.synchronous = true;
    if (ways & SYNCHRONOUS_SOCKET)
        play_kind(&scene, ways, result, error);
    EXPECT_EQ(WSACleanup(), 0);
}
