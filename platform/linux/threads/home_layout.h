/* SPDX-License-Identifier: MIT
 *
 * home_layout.h - where in a thread's memory a worker may leave data in its home.
 *
 * The library finds this out when it is loaded. It is the same for every thread.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_HOME_LAYOUT_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_HOME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_WORDS = 1024, MOST_SPANS = 64, MOST_MODULES = 128 };
enum { FIRST_KEYS = 32 }; /* keys whose values lie in the control block */

/* The values of left_out. FIRST_VALUE + k: the word is the value of key k. */
enum { COMPARED, CHANGES_BY_ITSELF, FIRST_VALUE };

/* A range of variables, by its distance before the thread pointer: from > to. */
struct span {
    size_t from, to;
    /* In turn: a module's variables, to be made anew; plat_tls; variables to be left as they are; a
     * pointer into the thread's own memory; a word of libc's about objects (thread_objects.h). */
    enum span_kind { SPAN_MODULE, SPAN_OWN, SPAN_FREE, SPAN_POINTER, SPAN_OBJECTS } kind;
    const void *image; /* for SPAN_MODULE: the initial contents; the rest is zero */
    size_t image_bytes;
    uintptr_t pointer; /* for SPAN_POINTER: its target's distance from the thread pointer */
};

/* A key's value in the control block. */
struct key_value {
    uintptr_t age;
    void *value;
};

struct home_layout {
    bool known;
    size_t block_bytes;            /* of the control block, which begins at the thread pointer */
    size_t below;                  /* bytes before it that variables use, or may use later */
    size_t values_at;              /* offset from the thread pointer of the first keys' values */
    uint8_t left_out[MOST_WORDS];  /* for each word of the block: COMPARED, or how else it is
                                    * treated */
    struct span spans[MOST_SPANS]; /* ranges that are not compared, from low to high */
    unsigned span_count;
    struct span libcs;  /* libc's variables */
    ptrdiff_t errno_at; /* from the thread pointer */
};
extern struct home_layout home_layout;

/* Adds a range that is not compared. No other thread reads or changes them now. */
void home_layout_leave_out(struct span span);
/* Whether the word that begins at this distance before the thread pointer is in such a range. */
bool home_layout_is_left_out(size_t from);
/* Whether that address is in a module that came with the program, and so stays. */
bool home_layout_came_with_program(const void *address);

#endif
