/* SPDX-License-Identifier: MIT
 *
 * noticed.h - system calls that the filter stops again and again, by the place that they are made
 * from.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_NOTICED_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_NOTICED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CALL_OFTEN = 8, CALL_STAYS = 2 * CALL_OFTEN };

/* NOTICED_STAYS: calls go on to come from there although everything was tried that spares the net.
 * */
enum noticed { NOTICED, NOTICED_STAYS };
/* On the worker, in the handler: its call was stopped. `behind` is what follows the `syscall`. */
enum noticed call_noticed(uintptr_t behind);

/* Called from there, when it is the eighth time, and whenever the number of times has doubled.
 * False: counting is to begin anew. Set once, or never. */
typedef bool call_often_hook(uintptr_t behind);
extern _Atomic(call_often_hook *) call_often;

#endif
