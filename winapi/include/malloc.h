/* SPDX-License-Identifier: MIT
 *
 * malloc.h - libc's, plus Microsoft's names for memory on the stack and aligned on the heap.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <malloc.h>

#if !defined(_WIN32) && !defined(UMSSHIM_MALLOC_H)
#define UMSSHIM_MALLOC_H

#include <stdlib.h>

#include "umsshim_msvc.h"

#define _alloca __builtin_alloca
#define _msize malloc_usable_size

/* libc's free takes aligned blocks as well, so _aligned_free needs no block of its own kind. */
static inline void *_aligned_malloc(size_t size, size_t alignment)
{
    return aligned_alloc(alignment, size);
}
#define _aligned_free free

#endif
