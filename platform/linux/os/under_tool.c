/* SPDX-License-Identifier: MIT
 *
 * under_tool.c - see under_tool.h. A symbol of their modules tells of the thread sanitizer and of
 * valgrind; the kernel tells of a tracer.
 */
#include "platform/linux/os/under_tool.h"
#include "platform/platform.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "platform/linux/os/log_once.h"
#include "platform/linux/os/raw.h"
#pragma GCC visibility push(default)
void __tsan_init(void) __attribute__((weak));
void _vgnU_freeres(void) __attribute__((weak));
#pragma GCC visibility pop

bool thread_sanitizer_found(void)
{
    if (!__tsan_init)
        return false;
    plat_log_once("this program is built with the thread sanitizer (-fsanitize=thread), which "
                  "cannot follow threads and workers of this library: none can be created, and UMS "
                  "calls fail; build it without, or with -fsanitize=address");
    return true;
}

bool valgrind_found(void)
{
    return _vgnU_freeres != NULL;
}

bool tracer_found(void)
{
    char text[1024];
    long fd = RAW3(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? fd : RAW3(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        RAW1(SYS_close, fd);
    text[n > 0 ? n : 0] = 0;
    const char *line = strstr(text, "TracerPid:\t");
    return line && line[sizeof "TracerPid:"] != '0';
}
