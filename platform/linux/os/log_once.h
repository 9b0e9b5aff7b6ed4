/* SPDX-License-Identifier: MIT
 *
 * log_once.h - a line on stderr that is written once.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_LOG_ONCE_H
#define UMSSHIM_PLATFORM_LINUX_OS_LOG_ONCE_H

#include "platform/platform.h"

/* Calls plat_log once in the process for each place in the code that has this. */
#define plat_log_once(...)                                                                         \
    do {                                                                                           \
        static _Atomic bool told;                                                                  \
        if (!atomic_exchange_explicit(&told, true, memory_order_relaxed))                          \
            plat_log(__VA_ARGS__);                                                                 \
    } while (0)

#endif
