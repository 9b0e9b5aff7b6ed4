/* SPDX-License-Identifier: MIT
 *
 * under_tool.c - see under_tool.h. Either tool is known by a symbol of a module that comes with it.
 */
#include "platform/linux/os/under_tool.h"
#include "platform/platform.h"

#include <stdatomic.h>
#include <stddef.h>

#include "platform/linux/os/log_once.h"
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
