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

enum { MOST_WORDS = 1024, MOST_SPANS = 64, MOST_MODULES = 128 };
enum { FIRST_KEYS = 32 }; /* whose values lie in the control block */

/* What left_out says of a word: a value of key k is FIRST_VALUE + k. */
enum { COMPARED, CHANGES_BY_ITSELF, FIRST_VALUE };

/* Variables, by how far before the thread pointer they lie: from > to. */
struct span {
    size_t from, to;
    /* a module's, to be made anew; plat_tls; to be left as it is; a pointer into the thread's own
     * memory; a word of libc's about objects (thread_objects.h) */
    enum span_kind { SPAN_MODULE, SPAN_OWN, SPAN_FREE, SPAN_POINTER, SPAN_OBJECTS } kind;
    const void *image; /* of a module's: its first bytes; the rest is zero */
    size_t image_bytes;
    uintptr_t pointer; /* where it points, from the thread pointer */
};

/* Of a key. */
struct key_value {
    uintptr_t age;
    void *value;
};

struct home_layout {
    bool known;
    size_t block_bytes;            /* of the control block, which begins at the thread pointer */
    size_t below;                  /* bytes before it that are variables' or may become so */
    size_t values_at;              /* from the thread pointer: those of the first keys */
    uint8_t left_out[MOST_WORDS];  /* words of the block that are not just compared */
    struct span spans[MOST_SPANS]; /* what is not compared, from low to high */
    unsigned span_count;
    struct span libcs;  /* libc's variables */
    ptrdiff_t errno_at; /* from the thread pointer */
};
extern struct home_layout home_layout;

/* One more; the caller is the only one who changes or reads them now. */
void home_layout_leave_out(struct span span);
/* Of the word that begins so far before the thread pointer. */
bool home_layout_is_left_out(size_t from);
/* Whether that address is in a module that came with the program, and so stays. */
bool home_layout_came_with_program(const void *address);

#endif
