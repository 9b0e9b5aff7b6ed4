/* SPDX-License-Identifier: MIT
 *
 * malloc.h - libc's, plus Microsoft's names for memory on the stack and aligned on the heap.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/malloc.h>
#elif defined(_MSC_VER)
#include_next <malloc.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <malloc.h>

#if !defined(_WIN32) && !defined(UMSSHIM_MALLOC_H)
#define UMSSHIM_MALLOC_H

#include <stdlib.h>

#include "umsshim_crt.h"

#define _alloca __builtin_alloca
#define _msize malloc_usable_size
#define _HEAPEMPTY (-1)
#define _HEAPOK (-2)
#define _HEAPBADBEGIN (-3)
#define _HEAPBADNODE (-4)

/* Returns the block if it has the room, else NULL: the block does not move. */
static inline void *_expand(void *block, size_t size)
{
    return block && size <= malloc_usable_size(block) ? block : NULL;
}

/* Zeroes what the block gains beyond its former usable size. malloc tells that size only, which may
 * be more than the program asked for: the bytes between the two stay as they are. */
static inline void *_recalloc(void *block, size_t count, size_t size)
{
    size_t before = block ? malloc_usable_size(block) : 0;
    size_t whole;
    char *larger;

    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    if (!block)
        return calloc(count, size);
    larger = (char *)realloc(block, whole);
    if (larger && malloc_usable_size(larger) > before)
        __builtin_memset(larger + before, 0, malloc_usable_size(larger) - before);
    return larger;
}

/* A small block is on the stack, a larger one on the heap. A word before the block tells which. */
#define _ALLOCA_S_THRESHOLD 1024
#define _ALLOCA_S_STACK_MARKER 0xCCCC
#define _ALLOCA_S_HEAP_MARKER 0xDDDD
#define _ALLOCA_S_MARKER_SIZE 16 /* the block has malloc's alignment */
#define _malloca(size)                                                                             \
    ((size_t)(size) <= _ALLOCA_S_THRESHOLD - _ALLOCA_S_MARKER_SIZE                                 \
         ? umsshim_mark(__builtin_alloca_with_align((size) + _ALLOCA_S_MARKER_SIZE, 128),          \
                        _ALLOCA_S_STACK_MARKER)                                                    \
         : umsshim_mark((size_t)(size) <= (size_t)-1 - _ALLOCA_S_MARKER_SIZE                       \
                            ? malloc((size_t)(size) + _ALLOCA_S_MARKER_SIZE)                       \
                            : NULL,                                                                \
                        _ALLOCA_S_HEAP_MARKER))

static inline void *umsshim_mark(void *block, unsigned marker)
{
    if (!block)
        return NULL;
    *(unsigned *)block = marker;
    return (char *)block + _ALLOCA_S_MARKER_SIZE;
}

static inline void _freea(void *block)
{
    unsigned *start = (unsigned *)(void *)((char *)block - _ALLOCA_S_MARKER_SIZE);
    if (block && *start == _ALLOCA_S_HEAP_MARKER)
        free(start);
}

/* libc's free takes aligned blocks as well, so _aligned_free is free. */
static inline void *_aligned_malloc(size_t size, size_t alignment)
{
    return aligned_alloc(alignment, size);
}
#define _aligned_free free

#endif
#endif /* _MSC_VER */
