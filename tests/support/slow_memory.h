/* SPDX-License-Identifier: MIT
 *
 * slow_memory.h - anonymous memory whose pages come slowly: a thread serves their faults by
 * userfaultfd.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_SLOW_MEMORY_H
#define UMSSHIM_TESTS_SUPPORT_SLOW_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { SLOW_PAGE = 4096, SLOW_PAGES = 256 };

struct slow_memory {
    unsigned char *bytes;
    int faults, stop; /* descriptors: userfaultfd's, an eventfd */
    unsigned page_us;
    bool (*may_come)(void); /* NULL; else no page comes before this returns true, or ten seconds are
                             * over */
    pthread_t server;
};

/* Byte n is n / 4096 % 251 + 1 at first, and each page takes `page_us` to come. `user_only`: the
 * kernel refuses a fault within a system call, as for ordinary users. `low`: below 4 GiB. Returns
 * NULL, or why there can be no such memory. */
const char *slow_memory_make(struct slow_memory *memory, unsigned page_us, bool user_only,
                             bool low);
/* No thread may use the memory meanwhile. */
void slow_memory_drop(struct slow_memory *memory);

#endif
