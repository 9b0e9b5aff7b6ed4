/* SPDX-License-Identifier: MIT
 *
 * pager_linux.c - the bodies in memory that is really short: userfaultfd.
 *
 * Each page has a copy of NBODY_PER_PAGE bodies. A thread reads it as it reads any memory; where
 * the page is not in, it sleeps in a page fault until a plain thread, the pager, has put it there,
 * a disk's time later. For each page that comes one must go, the one that has been in for the
 * longest: whoever reads it next faults. Pages may come at the same time, as from a disk with a
 * long queue.
 *
 * The pager alone changes `states`, but for pager_open before there is one. Between two steps
 * nobody reads, and no page is on its way.
 */
#define _GNU_SOURCE /* ppoll */
#include "nbody.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

_Static_assert(NBODY_PER_PAGE * sizeof(struct body) <= NBODY_PAGE_BYTES, "too many for a page");

enum state { ABSENT, COMING, PRESENT };

struct arrival {
    int page;
    uint64_t when; /* nanoseconds of the monotonic clock */
};

static const struct body *bodies;
static int body_count, pages, room, present, hand;
static uint64_t miss_ns;
static char *memory;
static atomic_uchar *states;
static struct arrival *coming; /* a ring, in the order of their arrival */
static unsigned first_coming, after_coming;
static atomic_ulong misses;
static int faults = -1, stop = -1;
static HANDLE pager;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static char *at(int page)
{
    return memory + (size_t)page * NBODY_PAGE_BYTES;
}

static void fill(char *to, int page)
{
    int first = page * NBODY_PER_PAGE;
    int count = body_count - first < NBODY_PER_PAGE ? body_count - first : NBODY_PER_PAGE;

    memcpy(to, bodies + first, (size_t)count * sizeof(*bodies));
}

static BOOL put_in(int page)
{
    static _Alignas(NBODY_PAGE_BYTES) char content[NBODY_PAGE_BYTES];
    struct uffdio_copy copy = {
        .dst = (uintptr_t)at(page), .src = (uintptr_t)content, .len = NBODY_PAGE_BYTES};

    fill(content, page);
    atomic_store(&states[page], PRESENT);
    present++;
    return ioctl(faults, UFFDIO_COPY, &copy) == 0;
}

/* Pages that are coming have their room already. */
static void make_room(void)
{
    int taken = present + (int)(after_coming - first_coming);

    for (int looks = 0; looks < pages && taken > room; looks++) {
        int page = hand;

        hand = (hand + 1) % pages;
        if (atomic_load(&states[page]) != PRESENT)
            continue;
        atomic_store(&states[page], ABSENT);
        present--;
        taken--;
        madvise(at(page), NBODY_PAGE_BYTES, MADV_DONTNEED);
    }
}

/* A page that is on its way, or came when this fault had already begun, has been asked for
 * before. */
static void ask_for(int page)
{
    if (atomic_load(&states[page]) == PRESENT) {
        struct uffdio_range range = {.start = (uintptr_t)at(page), .len = NBODY_PAGE_BYTES};

        ioctl(faults, UFFDIO_WAKE, &range);
    } else if (atomic_load(&states[page]) == ABSENT) {
        atomic_fetch_add(&misses, 1);
        atomic_store(&states[page], COMING);
        coming[after_coming++ % (unsigned)pages] = (struct arrival){page, now_ns() + miss_ns};
        make_room();
    }
}

static void hear_faults(void)
{
    struct uffd_msg message;

    while (read(faults, &message, sizeof(message)) == sizeof(message))
        if (message.event == UFFD_EVENT_PAGEFAULT)
            ask_for((int)((message.arg.pagefault.address - (uintptr_t)memory) / NBODY_PAGE_BYTES));
}

static DWORD WINAPI pager_main(LPVOID unused)
{
    struct pollfd files[2] = {{.fd = faults, .events = POLLIN}, {.fd = stop, .events = POLLIN}};

    (void)unused;
    while (!files[1].revents) {
        struct timespec wait = {0};
        uint64_t now = now_ns();
        BOOL any = first_coming != after_coming;
        uint64_t when = any ? coming[first_coming % (unsigned)pages].when : 0;

        if (any && when <= now) {
            int page = coming[first_coming++ % (unsigned)pages].page;

            if (!put_in(page)) { /* whoever reads it would sleep for ever */
                fprintf(stderr, "nbody: page %d cannot be put in: %s\n", page, strerror(errno));
                abort();
            }
            continue;
        }
        if (any)
            wait = (struct timespec){(time_t)((when - now) / 1000000000),
                                     (long)((when - now) % 1000000000)};
        ppoll(files, 2, any ? &wait : NULL, NULL);
        hear_faults();
    }
    return 0;
}

static BOOL open_faults(void)
{
    size_t size = (size_t)pages * NBODY_PAGE_BYTES;
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};

    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
    stop = eventfd(0, EFD_CLOEXEC);
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (faults < 0 || stop < 0 || memory == MAP_FAILED || ioctl(faults, UFFDIO_API, &api))
        return FALSE;
    madvise(memory, size, MADV_NOHUGEPAGE);
    range.range.start = (uintptr_t)memory;
    range.range.len = size;
    return ioctl(faults, UFFDIO_REGISTER, &range) == 0;
}

void pager_expected(void)
{
    setenv("UMSSHIM_FAULTS", "1", 0);
}

DWORD pager_open(const struct body *from, int count, int page_count, int page_room, int miss_ms)
{
    bodies = from;
    body_count = count;
    pages = page_count;
    room = page_room;
    miss_ns = (uint64_t)miss_ms * 1000000;
    present = hand = 0;
    first_coming = after_coming = 0;
    atomic_store(&misses, 0);
    if (!open_faults())
        return ERROR_NOT_SUPPORTED;
    states = ft_allocate((size_t)pages * sizeof(*states));
    coming = ft_allocate((size_t)pages * sizeof(*coming));
    if (!states || !coming)
        return ERROR_NOT_ENOUGH_MEMORY;
    for (int i = 0; i < pages; i++)
        atomic_store(&states[i], ABSENT);
    for (int i = 0; i < room; i++)
        if (!put_in(i))
            return ERROR_NOT_SUPPORTED;
    pager = CreateThread(NULL, 0, pager_main, NULL, 0, NULL);
    return pager ? 0 : GetLastError();
}

const char *pager_memory(void)
{
    return memory;
}

void pager_update(void)
{
    for (int i = 0; i < pages; i++)
        if (atomic_load(&states[i]) == PRESENT)
            fill(at(i), i);
}

unsigned long pager_misses(void)
{
    return atomic_load(&misses);
}

void pager_close(void)
{
    uint64_t one = 1;

    if (pager && write(stop, &one, sizeof(one)) == sizeof(one)) {
        WaitForSingleObject(pager, INFINITE);
        CloseHandle(pager);
    }
    pager = NULL;
    if (states)
        ft_free(states, (size_t)pages * sizeof(*states));
    if (coming)
        ft_free(coming, (size_t)pages * sizeof(*coming));
    states = NULL;
    coming = NULL;
    if (memory && memory != MAP_FAILED)
        munmap(memory, (size_t)pages * NBODY_PAGE_BYTES);
    memory = NULL;
    if (faults >= 0)
        close(faults);
    if (stop >= 0)
        close(stop);
    faults = stop = -1;
}
