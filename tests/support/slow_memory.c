/* SPDX-License-Identifier: MIT
 *
 * slow_memory.c - see slow_memory.h.
 */
#include "slow_memory.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

enum { MOST_HELD_MS = 10000 };

static void serve_one(struct slow_memory *memory)
{
    static _Alignas(SLOW_PAGE) unsigned char page[SLOW_PAGE];
    struct uffd_msg message;
    size_t at;

    if (read(memory->faults, &message, sizeof message) != sizeof message ||
        message.event != UFFD_EVENT_PAGEFAULT)
        return;
    at = (size_t)(message.arg.pagefault.address - (uintptr_t)memory->bytes) / SLOW_PAGE;
    memset(page, (int)(at % 251 + 1), sizeof page);
    usleep(memory->page_us);
    for (int ms = 0; memory->may_come && !memory->may_come() && ms < MOST_HELD_MS; ms++)
        usleep(1000);
    struct uffdio_copy copy = {.dst = (uintptr_t)(memory->bytes + at * SLOW_PAGE),
                               .src = (uintptr_t)page,
                               .len = SLOW_PAGE};
    ioctl(memory->faults, UFFDIO_COPY, &copy); /* EEXIST: the page was asked for twice */
}

static void *serve(void *arg)
{
    struct slow_memory *memory = arg;
    struct pollfd files[2] = {{.fd = memory->faults, .events = POLLIN},
                              {.fd = memory->stop, .events = POLLIN}};

    while (poll(files, 2, -1) >= 0 && !files[1].revents)
        if (files[0].revents)
            serve_one(memory);
    return NULL;
}

const char *slow_memory_make(struct slow_memory *memory, unsigned page_us, bool user_only, bool low)
{
    size_t size = (size_t)SLOW_PAGES * SLOW_PAGE;
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};

    memset(memory, 0, sizeof *memory);
    memory->page_us = page_us;
    memory->faults = (int)syscall(SYS_userfaultfd,
                                  O_CLOEXEC | O_NONBLOCK | (user_only ? UFFD_USER_MODE_ONLY : 0));
    if (memory->faults < 0)
        return "the kernel has no userfaultfd, or not for this user";
    memory->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | (low ? MAP_32BIT : 0), -1, 0);
    range.range.start = (uintptr_t)memory->bytes;
    range.range.len = size;
    memory->stop = eventfd(0, EFD_CLOEXEC);
    if (memory->bytes != MAP_FAILED && memory->stop >= 0 &&
        !madvise(memory->bytes, size, MADV_NOHUGEPAGE) &&
        !ioctl(memory->faults, UFFDIO_API, &api) &&
        !ioctl(memory->faults, UFFDIO_REGISTER, &range) &&
        !pthread_create(&memory->server, NULL, serve, memory))
        return NULL;
    close(memory->faults);
    return "userfaultfd does not serve anonymous memory here";
}

void slow_memory_drop(struct slow_memory *memory)
{
    uint64_t one = 1;

    if (write(memory->stop, &one, sizeof one) == sizeof one)
        pthread_join(memory->server, NULL);
    close(memory->faults);
    close(memory->stop);
    munmap(memory->bytes, (size_t)SLOW_PAGES * SLOW_PAGE);
}
