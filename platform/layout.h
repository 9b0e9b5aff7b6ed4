/* SPDX-License-Identifier: MIT
 *
 * layout.h - how the library tells debuggers where in memory its data is.
 *
 * A debugger or a report about a hung process reads the library's memory, and must not guess: a
 * stripped library has no debug information. So each file of the library describes its own data, in
 * rows of one section, "umsinfo". A row is a name and a number; the names are what readers ask for
 * (platform/linux/inspect). A field that changes its size does not compile any more. A field that
 * goes takes its row along: then the test of the readers' names fails.
 *
 * LAYOUT_VERSION counts changes after which an older reader would misread a field: changes of its
 * meaning, not of its place.
 */
#ifndef UMSSHIM_PLATFORM_LAYOUT_H
#define UMSSHIM_PLATFORM_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_VERSION = 1 };

enum layout_kind {
    LAYOUT_IS_FIELD = 1, /* value: its offset; size: its bytes */
    LAYOUT_IS_SIZE,      /* value: bytes of a structure */
    LAYOUT_IS_NUMBER,    /* value: of a constant */
    LAYOUT_IS_ADDRESS,   /* value: of a variable or function; size: its bytes, 0 for a function */
    LAYOUT_IS_WAIT,      /* name: the call that waits; value: the function by which one knows it
                          * (wait.h) */
};

struct layout_row {
    char name[48];
    uintptr_t value;
    uint32_t size;
    uint32_t kind;
};
_Static_assert(sizeof(struct layout_row) == 64, "readers rely on it");

#define LAYOUT_JOIN_(a, b) a##b
#define LAYOUT_JOIN(a, b) LAYOUT_JOIN_(a, b)

/* The rows are not const: gcc would put those with addresses and those without into different
 * sections. */
#define LAYOUT_ROW(text, number, bytes, what)                                                      \
    __attribute__((used, section("umsinfo"), aligned(8))) static struct layout_row LAYOUT_JOIN(    \
        layout_row_, __COUNTER__) = {text, (uintptr_t)(number), (uint32_t)(bytes), what}

/* The field is wrapped in a structure: a linter takes sizeof of a pointer for a mistake. */
#define LAYOUT_BYTES(type, field) sizeof(struct { __typeof__(((type *)0)->field) it; })

/* "name.field" of a structure. Does not compile if the field is not as wide as readers take it
 * for. */
#define LAYOUT_FIELD(name, type, field, bytes)                                                     \
    _Static_assert(LAYOUT_BYTES(type, field) == (bytes), name "." #field " has another size");     \
    LAYOUT_ROW(name "." #field, offsetof(type, field), bytes, LAYOUT_IS_FIELD)
/* A structure inside another one, whatever its size. */
#define LAYOUT_INSIDE(name, type, field)                                                           \
    LAYOUT_ROW(name "." #field, offsetof(type, field), LAYOUT_BYTES(type, field), LAYOUT_IS_FIELD)
#define LAYOUT_SIZE(name, type) LAYOUT_ROW(name, sizeof(type), sizeof(type), LAYOUT_IS_SIZE)
#define LAYOUT_NUMBER(name, number) LAYOUT_ROW(name, number, 8, LAYOUT_IS_NUMBER)
#define LAYOUT_VARIABLE(name, variable)                                                            \
    LAYOUT_ROW(name, &(variable), sizeof(variable), LAYOUT_IS_ADDRESS)
#define LAYOUT_CODE(name, address) LAYOUT_ROW(name, address, 0, LAYOUT_IS_ADDRESS)
#define LAYOUT_WAIT(name, function) LAYOUT_ROW(name, function, 0, LAYOUT_IS_WAIT)

/* Both are about the rows LAYOUT_IS_WAIT, counted from 0. The first gives the call's name in a row,
 * or NULL past the last. The second gives the index of a function's row, or ~0u if it has none. */
const char *layout_wait_name(unsigned index);
unsigned layout_wait_index(const void *why);

#endif
