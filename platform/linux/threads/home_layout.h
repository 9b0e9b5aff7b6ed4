/* SPDX-License-Identifier: MIT
 *
 * home_layout.h - where in a thread's memory things are that a worker may leave in its home.
 *
 * Found when the library is loaded, and the same for every thread.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_HOME_LAYOUT_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_HOME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_WORDS = 1024, MOST_SPANS = 64 };

/* Variables, by how far before the thread pointer they lie: from > to. */
struct span {
    size_t from, to;
    /* a module's, to be made anew; plat_tls; to be left as it is; a pointer into the thread's own
     * memory */
    enum span_kind { SPAN_MODULE, SPAN_OWN, SPAN_FREE, SPAN_POINTER } kind;
    const void *image; /* of a module's: its first bytes; the rest is zero */
    size_t image_bytes;
    uintptr_t pointer; /* where it points, from the thread pointer */
};

struct home_layout {
    bool known;
    size_t block_bytes;            /* of the control block, which begins at the thread pointer */
    size_t below;                  /* bytes before it that are variables' or may become so */
    uint8_t left_out[MOST_WORDS];  /* words of the block that change by themselves */
    struct span spans[MOST_SPANS]; /* what is not compared, from low to high */
    unsigned span_count;
    struct span libcs;  /* libc's variables */
    ptrdiff_t errno_at; /* from the thread pointer */
};
extern struct home_layout home_layout;

/* One more; the caller is the only one who changes or reads them now. */
void home_layout_leave_out(struct span span);

#endif
