/* SPDX-License-Identifier: MIT
 *
 * intrin.h - Microsoft's intrinsics: those of umsshim_intrinsics.h, cpuid, and all vector
 * intrinsics.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../include/intrin.h>
#elif defined(_MSC_VER)
#include_next <intrin.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <intrin.h>
#elif !defined(UMSSHIM_INTRIN_H)
#define UMSSHIM_INTRIN_H

#include "umsshim_msvc.h"
#include "umsshim_intrinsics.h"

/* gcc's header comes after this library's macros: gcc has functions of some of these names, which
 * so get the macros' names. */
#undef __lzcnt16
#undef __lzcnt64
#include <x86intrin.h>
#define __lzcnt16 umsshim_lzcnt16
#define __lzcnt64 umsshim_lzcnt64

/* gcc's __cpuid is a macro of five arguments; Microsoft's function has two. A source that includes
 * <intrin.h> means Microsoft's. gcc's __cpuidex, where gcc has one, is as Microsoft's. */
#include <cpuid.h>
#undef __cpuid
static inline void umsshim_cpuid(void *information, int leaf, int subleaf)
{
    unsigned int *to = (unsigned int *)information;

    __asm__ __volatile__("cpuid"
                         : "=a"(to[0]), "=b"(to[1]), "=c"(to[2]), "=d"(to[3])
                         : "a"(leaf), "c"(subleaf));
}
#define __cpuid(information, leaf) umsshim_cpuid((information), (leaf), 0)
#define __cpuidex(information, leaf, subleaf) umsshim_cpuid((information), (leaf), (subleaf))

#endif
#endif /* _MSC_VER */
