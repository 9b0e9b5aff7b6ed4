/* SPDX-License-Identifier: MIT
 *
 * native_linux.c - see native.h: pipes and socket pairs, nanosleep, futexes, pages of a file,
 * fork, a pthread mutex.
 */
#include "native.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

void native_await(int *word)
{
    while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

void native_wake(int *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

bool native_touch_page(void)
{
    enum { SIZE = 4096 };
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const volatile char *page;
    bool is_elf;

    if (file < 0)
        return false;
    posix_fadvise(file, 0, SIZE, POSIX_FADV_DONTNEED);
    page = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (page == MAP_FAILED)
        return false;
    is_elf = page[1] == 'E' && page[2] == 'L';
    munmap((void *)page, SIZE);
    return is_elf;
}

static bool child_can_use_ums(void)
{
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT context, chain;

    return CreateUmsCompletionList(&list) && CreateUmsThreadContext(&context) &&
           DequeueUmsCompletionListItems(list, 0, &chain) + (GetLastError() == ERROR_TIMEOUT) > 0 &&
           !chain && DeleteUmsThreadContext(context) && DeleteUmsCompletionList(list);
}

/* They are lists of the kernel's, or of the engine's contexts. */
bool native_forgets_waiters(void)
{
    return true;
}

bool native_fork_works(void)
{
    enum { LIMIT_SECONDS = 20 };
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        alarm(LIMIT_SECONDS);
        _exit(child_can_use_ums() ? 0 : 1);
    }
    while (child > 0 && waitpid(child, &status, 0) != child)
        ;
    return child > 0 && status == 0;
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
