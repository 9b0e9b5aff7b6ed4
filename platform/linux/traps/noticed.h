/* SPDX-License-Identifier: MIT
 *
 * noticed.h - counts the system calls that the filter stops, by their call site.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_NOTICED_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_NOTICED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CALL_OFTEN = 8, CALL_STAYS = 2 * CALL_OFTEN };

/* NOTICED_STAYS: the filter still stops calls of this site, though the library has tried to rewrite
 * it.
 * */
enum noticed { NOTICED, NOTICED_STAYS };
/* The handler calls this on a worker whose call was stopped. `behind` is the instruction after the
 * `syscall`. */
enum noticed call_noticed(uintptr_t behind);

/* call_noticed calls the hook at the eighth time, and whenever the number of times has doubled.
 * False: counting begins anew. The hook is set once, or never. */
typedef bool call_often_hook(uintptr_t behind);
extern _Atomic(call_often_hook *) call_often;

#endif
