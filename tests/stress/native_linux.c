/* SPDX-License-Identifier: MIT
 *
 * native_linux.c - see native.h: pipes and socket pairs, nanosleep, a pthread mutex.
 */
#include "native.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

bool native_open(struct native_channel *channel, bool other_kind)
{
    int fd[2];

    channel->other_kind = other_kind;
    if ((other_kind ? pipe(fd) : socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) != 0)
        return false;
    channel->ends[0] = fd[0];
    channel->ends[1] = fd[1];
    return true;
}

void native_close(struct native_channel *channel)
{
    close((int)channel->ends[0]);
    close((int)channel->ends[1]);
}

bool native_send(struct native_channel *channel, int value)
{
    return write((int)channel->ends[1], &value, sizeof value) == sizeof value;
}

bool native_receive(struct native_channel *channel, int *value)
{
    return read((int)channel->ends[0], value, sizeof *value) == sizeof *value;
}

bool native_look(struct native_channel *channel, int milliseconds)
{
    struct pollfd set = {(int)channel->ends[0], POLLIN, 0};

    return poll(&set, 1, milliseconds) >= 0;
}

bool native_sleep(unsigned nanoseconds)
{
    struct timespec duration = {0, (long)nanoseconds};

    return nanosleep(&duration, NULL) == 0;
}

bool native_lock(void)
{
    return pthread_mutex_lock(&mutex) == 0;
}

bool native_unlock(void)
{
    return pthread_mutex_unlock(&mutex) == 0;
}

DWORD native_thread_id(void)
{
    return (DWORD)gettid();
}
