/* SPDX-License-Identifier: MIT
 *
 * umsshim_interlocked.h - the interlocked intrinsics, and winnt.h's names for them.
 *
 * On Windows `long` and LONG are one type of 32 bits, and sources pass pointers to either; here
 * they differ, and Wine's functions take LONG only. So each operation is generic: it has the width
 * of what the pointer points to, as its operand would have there. It is a function template in C++
 * and a macro in C. All are full barriers, whatever the name's ending asks for: that is what x86
 * gives. In a cross build MinGW's are used, except for the double word.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_INTERLOCKED_H
#define UMSSHIM_INTERLOCKED_H

#include <windef.h> /* Wine's own, whose definitions the macros below must not meet */

/* Compares 16 bytes at p, aligned to as much, with expected[0..1], low half first. Equal: they
 * become high:low and the result is 1. Otherwise expected reads what was there, and it is 0 (Wine's
 * leaves expected alone, MinGW before 11 has none). */
static inline unsigned char umsshim_cas128(__int64 volatile *p, __int64 high, __int64 low,
                                           __int64 *expected)
{
    unsigned char equal;

    __asm__ __volatile__("lock cmpxchg16b %1"
                         : "=@ccz"(equal), "+m"(*(__extension__(__int128 volatile *) p)),
                           "+a"(expected[0]), "+d"(expected[1])
                         : "b"(low), "c"(high)
                         : "memory");
    return equal;
}
#define _InterlockedCompareExchange128 umsshim_cas128
#undef InterlockedCompareExchange128
#define InterlockedCompareExchange128 umsshim_cas128

#ifndef _WIN32

/* ---- The operations -------------------------------------------------------------------------- */

#ifdef __cplusplus
extern "C++" {
/* The second argument follows the first one's type and takes no part in finding it. */
template <class Type> struct umsshim_same {
    typedef Type type;
};

#define UMSSHIM_INTERLOCKED_1(name, result)                                                        \
    template <class Type> static inline Type name(Type volatile *p)                                \
    {                                                                                              \
        return (Type)(result);                                                                     \
    }
#define UMSSHIM_INTERLOCKED_2(name, result)                                                        \
    template <class Type>                                                                          \
    static inline Type name(Type volatile *p, typename umsshim_same<Type>::type value)             \
    {                                                                                              \
        return (Type)(result);                                                                     \
    }
UMSSHIM_INTERLOCKED_1(_InterlockedIncrement, __atomic_add_fetch(p, 1, __ATOMIC_SEQ_CST))
UMSSHIM_INTERLOCKED_1(_InterlockedDecrement, __atomic_sub_fetch(p, 1, __ATOMIC_SEQ_CST))
UMSSHIM_INTERLOCKED_2(_InterlockedExchange, __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST))
UMSSHIM_INTERLOCKED_2(_InterlockedExchangeAdd, __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST))
UMSSHIM_INTERLOCKED_2(_InterlockedAdd, __atomic_add_fetch(p, value, __ATOMIC_SEQ_CST))
UMSSHIM_INTERLOCKED_2(_InterlockedAnd, __atomic_fetch_and(p, value, __ATOMIC_SEQ_CST))
UMSSHIM_INTERLOCKED_2(_InterlockedOr, __atomic_fetch_or(p, value, __ATOMIC_SEQ_CST))
UMSSHIM_INTERLOCKED_2(_InterlockedXor, __atomic_fetch_xor(p, value, __ATOMIC_SEQ_CST))
#undef UMSSHIM_INTERLOCKED_1
#undef UMSSHIM_INTERLOCKED_2

template <class Type>
static inline Type _InterlockedCompareExchange(Type volatile *p,
                                               typename umsshim_same<Type>::type value,
                                               typename umsshim_same<Type>::type expected)
{
    return __sync_val_compare_and_swap(p, expected, value);
}
}
#else
#define _InterlockedIncrement(p) __atomic_add_fetch((p), 1, __ATOMIC_SEQ_CST)
#define _InterlockedDecrement(p) __atomic_sub_fetch((p), 1, __ATOMIC_SEQ_CST)
#define _InterlockedExchange(p, value) __atomic_exchange_n((p), (value), __ATOMIC_SEQ_CST)
#define _InterlockedExchangeAdd(p, value) __atomic_fetch_add((p), (value), __ATOMIC_SEQ_CST)
#define _InterlockedAdd(p, value) __atomic_add_fetch((p), (value), __ATOMIC_SEQ_CST)
#define _InterlockedAnd(p, value) __atomic_fetch_and((p), (value), __ATOMIC_SEQ_CST)
#define _InterlockedOr(p, value) __atomic_fetch_or((p), (value), __ATOMIC_SEQ_CST)
#define _InterlockedXor(p, value) __atomic_fetch_xor((p), (value), __ATOMIC_SEQ_CST)
#define _InterlockedCompareExchange(p, value, expected)                                            \
    __sync_val_compare_and_swap((p), (expected), (value))
#endif

/* ---- Bits: number `bit` counted from the base, in whatever unit the source thinks of them ---- */

static inline unsigned char *umsshim_byte_of(const volatile void *base, long bit)
{
    return (unsigned char *)base + (bit >> 3);
}

static inline unsigned char _bittest(const volatile void *base, long bit)
{
    return *(volatile unsigned char *)umsshim_byte_of(base, bit) >> (bit & 7) & 1;
}

static inline unsigned char _interlockedbittestandset(volatile void *base, long bit)
{
    return __atomic_fetch_or(umsshim_byte_of(base, bit), (unsigned char)(1u << (bit & 7)),
                             __ATOMIC_SEQ_CST) >>
               (bit & 7) &
           1;
}

static inline unsigned char _interlockedbittestandreset(volatile void *base, long bit)
{
    return __atomic_fetch_and(umsshim_byte_of(base, bit), (unsigned char)~(1u << (bit & 7)),
                              __ATOMIC_SEQ_CST) >>
               (bit & 7) &
           1;
}

static inline unsigned char _interlockedbittestandcomplement(volatile void *base, long bit)
{
    return __atomic_fetch_xor(umsshim_byte_of(base, bit), (unsigned char)(1u << (bit & 7)),
                              __ATOMIC_SEQ_CST) >>
               (bit & 7) &
           1;
}

/* The plain ones need not be atomic; being so does no harm. */
#define _bittestandset _interlockedbittestandset
#define _bittestandreset _interlockedbittestandreset
#define _bittestandcomplement _interlockedbittestandcomplement

#include "umsshim_interlocked_names.h"

#endif
#endif
