/* SPDX-License-Identifier: MIT
 *
 * trace_system.c - the functions that a trace needs of Linux: platform/trace/system.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include "platform/linux/os/affinity.h"
#include "platform/linux/os/create_file.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/library_text.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/own_write.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"
#include "platform/trace/system.h"

enum { POPULATE_WRITE = 23, STACK_BYTES = 128 << 10 };

static int file = -1;

bool system_variable(const char *name, char *value, size_t room)
{
    const char *text = secure_getenv(name);
    if (!text || !*text || strlen(text) >= room)
        return false;
    memcpy(value, text, strlen(text) + 1);
    return true;
}

void system_variables(void (*told)(const char *text))
{
    for (char **at = getauxval(AT_SECURE) ? NULL : environ; at && *at; at++)
        told(*at);
}

void system_command_line(char *line, size_t room)
{
    int fd = (int)RAW3(SYS_open, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
    long length = fd < 0 ? 0 : RAW3(SYS_read, fd, line, room - 1);
    if (fd >= 0)
        RAW1(SYS_close, fd);
    for (length = length < 0 ? 0 : length; length && !line[length - 1]; length--)
        ;
    line[length] = 0;
    for (long i = 0; i < length; i++)
        if (!line[i])
            line[i] = ' ';
}

int system_file_create(const char *path)
{
    long made = create_file(path);
    if (made < 0)
        return (int)-made;
    file = fd_move_high((int)made);
    return 0;
}

/* The pipe is full. Gives its reader a second, no more: the program's end may wait for this
 * write. */
static bool has_room_again(void)
{
    struct pollfd pipe = {.fd = file, .events = POLLOUT};
    struct timespec second = {1, 0};
    long n;
    do
        n = RAW5(SYS_ppoll, &pipe, 1, &second, NULL, 8);
    while (n == -EINTR); /* the kernel has left the rest of the time in `second` */
    return n == 1;
}

static int append(const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes) {
        long n = own_write(file, at, bytes);
        if (n == -EINTR || (n == -EAGAIN && has_room_again()))
            continue;
        if (n <= 0)
            return n ? (int)-n : ENOSPC;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* Appends, since the file may be a pipe, which has no positions. `place` would help only where a
 * thread can be ended in the middle of a write. */
int system_file_write(uint64_t place, const void *data, size_t bytes)
{
    (void)place;
    return append(data, bytes);
}

void system_file_close(void)
{
    own_file_close(file);
    file = -1;
}

const char *system_error_text(int error)
{
    return error ? strerrordesc_np(error) : "out of memory";
}

static void *run_it(void *run)
{
    kthread_name("ums:trace");
    plat_tls.counting.counted = true;
    affinity_reset();
    ((void (*)(void))run)();
    return NULL;
}

int system_thread_start(void (*run)(void))
{
    pthread_t thread;
    return kthread_create(&thread, STACK_BYTES, run_it, (void *)run);
}

void system_rest(unsigned milliseconds)
{
    struct timespec span = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    RAW4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &span, NULL);
}

/* Makes the pages present at once. Kernels before 5.14 refuse that, and make each at its first
 * use. */
void *system_pages(size_t bytes)
{
    void *pages = plat_reserve(bytes);
    if (pages)
        RAW3(SYS_madvise, pages, bytes, POPULATE_WRITE);
    return pages;
}

uint64_t system_wall_clock(void)
{
    struct timespec now;
    LIBC(clock_gettime)(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t system_process(void)
{
    return (uint32_t)RAW0(SYS_getpid);
}

/* ---- Call sites ------------------------------------------------------------------------------ */

struct walk {
    void **to;
    unsigned count, most;
};

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *arg)
{
    struct walk *walk = arg;
    if (walk->count == walk->most)
        return _URC_END_OF_STACK;
    uintptr_t address = _Unwind_GetIP(context);
    if (!address)
        return _URC_END_OF_STACK;
    walk->to[walk->count++] = (void *)address;
    return _URC_NO_REASON;
}

unsigned system_calls(void **addresses, unsigned most)
{
    struct walk walk = {.to = addresses, .most = most};
    _Unwind_Backtrace(take, &walk);
    return walk.count;
}

/* From glibc 2.35 on the unwinder finds tables without a lock. Before that it takes the loader's,
 * which the worker, or another worker of its scheduler, may hold. */
static bool finds_without_lock(void)
{
    const char *version = gnu_get_libc_version();
    int major = atoi(version), minor = strchr(version, '.') ? atoi(strchr(version, '.') + 1) : 0;
    return major > 2 || (major == 2 && minor >= 35);
}

bool system_calls_ready(void)
{
    void *calls[4];
    return finds_without_lock() && system_calls(calls, 4) > 1;
}

static int tell(struct dl_phdr_info *info, size_t size, void *told)
{
    uint64_t first = UINT64_MAX, end = 0;
    char own[256];
    const char *name = info->dlpi_name;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD)
            continue;
        if (part->p_vaddr < first)
            first = part->p_vaddr;
        if (part->p_vaddr + part->p_memsz > end)
            end = part->p_vaddr + part->p_memsz;
    }
    if (!*name) { /* the program itself has no name here */
        ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
        own[n > 0 ? n : 0] = 0;
        name = own;
    }
    if (end)
        ((void (*)(const char *, uint64_t, uint64_t))told)(name, info->dlpi_addr + first,
                                                           end - first);
    return 0;
}

void system_modules(void (*told)(const char *name, uint64_t base, uint64_t bytes))
{
    dl_iterate_phdr(tell, (void *)told);
}

bool system_is_ours(const void *code)
{
    return library_holds(code);
}
