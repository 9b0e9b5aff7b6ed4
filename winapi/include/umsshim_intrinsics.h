/* SPDX-License-Identifier: MIT
 *
 * umsshim_intrinsics.h - Microsoft's intrinsics for processor and compiler, made of gcc's.
 *
 * <windows.h> brings these; <intrin.h> adds the vector intrinsics. `unsigned long` in a Microsoft
 * signature is 32 bits wide and is `unsigned int` here; an index that is written may be of any
 * type. Reads of the TEB through the GS register are left out: here GS points to no TEB.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_INTRINSICS_H
#define UMSSHIM_INTRINSICS_H

#include <emmintrin.h>    /* _mm_pause, _mm_mfence, _mm_lfence, _mm_sfence, _mm_prefetch */
#include <x86gprintrin.h> /* __rdtsc, __rdtscp, _rotl, _rotr */

#include "umsshim_interlocked.h"

/* ---- Barriers -------------------------------------------------------------------------------- */

static inline void _ReadWriteBarrier(void) /* bind the compiler only, like the next two */
{
    __asm__ __volatile__("" ::: "memory");
}
#define _ReadBarrier _ReadWriteBarrier
#define _WriteBarrier _ReadWriteBarrier

static inline void __faststorefence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- Stopping -------------------------------------------------------------------------------- */

static inline void __debugbreak(void)
{
    __asm__ __volatile__("int3");
}

static inline void __nop(void)
{
    __asm__ __volatile__("nop");
}

static inline void __ud2(void)
{
    __asm__ __volatile__("ud2");
}

/* ---- Where are we ---------------------------------------------------------------------------- */

/* Macros, because they are about the function that uses them. */
#define _ReturnAddress() __builtin_return_address(0)
#define _AddressOfReturnAddress() ((void *)((char *)__builtin_frame_address(0) + 8))

/* ---- Counting and turning bits --------------------------------------------------------------- */

/* Writes the index of the lowest (Forward) or highest set bit. Returns 0, and writes nothing, if no
 * bit is set. */
#define _BitScanForward(index, mask)                                                               \
    UMSSHIM_BIT_SCAN(index, unsigned int, mask, __builtin_ctz(bits))
#define _BitScanReverse(index, mask)                                                               \
    UMSSHIM_BIT_SCAN(index, unsigned int, mask, 31 - __builtin_clz(bits))
#define _BitScanForward64(index, mask)                                                             \
    UMSSHIM_BIT_SCAN(index, unsigned long, mask, __builtin_ctzl(bits))
#define _BitScanReverse64(index, mask)                                                             \
    UMSSHIM_BIT_SCAN(index, unsigned long, mask, 63 - __builtin_clzl(bits))
#define UMSSHIM_BIT_SCAN(index, type, mask, found)                                                 \
    __extension__({                                                                                \
        type bits = (type)(mask);                                                                  \
        if (bits)                                                                                  \
            *(index) = (__typeof__(*(index)))(found);                                              \
        (unsigned char)(bits != 0);                                                                \
    })
#define BitScanForward64 _BitScanForward64
#define BitScanReverse64 _BitScanReverse64

#define _byteswap_ushort __builtin_bswap16
#define _byteswap_ulong __builtin_bswap32
#define _byteswap_uint64 __builtin_bswap64

static inline unsigned long _rotl64(unsigned long value, int bits)
{
    return value << (bits & 63) | value >> (-bits & 63);
}

static inline unsigned long _rotr64(unsigned long value, int bits)
{
    return value >> (bits & 63) | value << (-bits & 63);
}

/* These do not need a processor with the instruction, so they have names of their own. */
static inline unsigned short umsshim_lzcnt16(unsigned short value)
{
    return (unsigned short)(value ? __builtin_clz(value) - 16 : 16);
}

static inline unsigned int umsshim_lzcnt(unsigned int value)
{
    return value ? (unsigned int)__builtin_clz(value) : 32;
}

static inline unsigned long umsshim_lzcnt64(unsigned long value)
{
    return value ? (unsigned long)__builtin_clzl(value) : 64;
}
#define __lzcnt16 umsshim_lzcnt16
#define __lzcnt umsshim_lzcnt
#define __lzcnt64 umsshim_lzcnt64
#define __popcnt16(value) ((unsigned short)__builtin_popcount((unsigned short)(value)))
#define __popcnt(value) ((unsigned int)__builtin_popcount(value))
#define __popcnt64(value) ((unsigned long)__builtin_popcountl(value))

/* ---- Wide products --------------------------------------------------------------------------- */

static inline unsigned long umsshim_umulh(unsigned long left, unsigned long right)
{
    return (unsigned long)((__extension__(unsigned __int128) left * right) >> 64);
}

static inline long umsshim_mulh(long left, long right)
{
    return (long)((__extension__(__int128) left * right) >> 64);
}
#define __umulh umsshim_umulh
#define __mulh umsshim_mulh
#define UnsignedMultiplyHigh umsshim_umulh
#define MultiplyHigh umsshim_mulh

/* `high` may point to any 64-bit type: unsigned long long and unsigned __int64 differ here. */
#define _umul128(left, right, high)                                                                \
    (*(high) = umsshim_umulh((left), (right)), (unsigned long)(left) * (unsigned long)(right))
#define UnsignedMultiply128 _umul128

/* ---- Strings --------------------------------------------------------------------------------- */

#define UMSSHIM_STRING_INTRINSICS(letter, type, suffix)                                            \
    static inline void __stos##letter(type *to, type value, unsigned long count)                   \
    {                                                                                              \
        __asm__ __volatile__("rep stos" suffix : "+D"(to), "+c"(count) : "a"(value) : "memory");   \
    }                                                                                              \
    static inline void __movs##letter(type *to, const type *from, unsigned long count)             \
    {                                                                                              \
        __asm__ __volatile__("rep movs" suffix : "+D"(to), "+S"(from), "+c"(count)::"memory");     \
    }
UMSSHIM_STRING_INTRINSICS(b, unsigned char, "b")
UMSSHIM_STRING_INTRINSICS(w, unsigned short, "w")
UMSSHIM_STRING_INTRINSICS(d, unsigned int, "l")
UMSSHIM_STRING_INTRINSICS(q, unsigned long, "q")
#undef UMSSHIM_STRING_INTRINSICS

#endif
