/* SPDX-License-Identifier: MIT
 *
 * umsshim_interlocked.h - the interlocked intrinsics, and winnt.h's names for them.
 *
 * On Windows `long` and LONG are one type of 32 bits, and sources pass pointers to either; here
 * they differ, and Wine's functions take LONG only. So each operation is generic: it has the width
 * of the type that the pointer points to. It is a function template in C++ and a macro in C. All
 * operations are full barriers, whatever the name's ending asks for, as on x86. A cross build uses
 * MinGW's, except for the double word.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_INTERLOCKED_H
#define UMSSHIM_INTERLOCKED_H

#include <windef.h> /* Wine's own, whose definitions the macros below must not meet */

/* Compares the 16 bytes at p, aligned to 16, with expected[0..1], low half first. If they are
 * equal, they become high:low and the result is 1. Otherwise `expected` gets the 16 bytes, and the
 * result is 0. Wine's leaves `expected` alone; MinGW before 11 has no such function. */
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
/* Keeps the second argument out of the deduction of the type. */
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
#define _InterlockedIncrement16 _InterlockedIncrement
#define _InterlockedIncrement64 _InterlockedIncrement
#define _InterlockedDecrement16 _InterlockedDecrement
#define _InterlockedDecrement64 _InterlockedDecrement
#define _InterlockedExchange8 _InterlockedExchange
#define _InterlockedExchange16 _InterlockedExchange
#define _InterlockedExchange64 _InterlockedExchange
#define _InterlockedExchangeAdd8 _InterlockedExchangeAdd
#define _InterlockedExchangeAdd16 _InterlockedExchangeAdd
#define _InterlockedExchangeAdd64 _InterlockedExchangeAdd
#define _InterlockedAdd64 _InterlockedAdd
#define _InterlockedAnd8 _InterlockedAnd
#define _InterlockedAnd16 _InterlockedAnd
#define _InterlockedAnd64 _InterlockedAnd
#define _InterlockedOr8 _InterlockedOr
#define _InterlockedOr16 _InterlockedOr
#define _InterlockedOr64 _InterlockedOr
#define _InterlockedXor8 _InterlockedXor
#define _InterlockedXor16 _InterlockedXor
#define _InterlockedXor64 _InterlockedXor
#define _InterlockedCompareExchange8 _InterlockedCompareExchange
#define _InterlockedCompareExchange16 _InterlockedCompareExchange
#define _InterlockedCompareExchange64 _InterlockedCompareExchange
#else
/* Windows' functions take a pointer to the type of their width, so in C a void pointer as well.
 * This macro gives a void pointer that type. */
#define UMSSHIM_AT(p, type)                                                                        \
    _Generic((p), void *: (type volatile *)(p), void volatile *: (type volatile *)(p), default: (p))
#define _InterlockedIncrement(p) __atomic_add_fetch(UMSSHIM_AT(p, LONG), 1, __ATOMIC_SEQ_CST)
#define _InterlockedIncrement16(p) __atomic_add_fetch(UMSSHIM_AT(p, short), 1, __ATOMIC_SEQ_CST)
#define _InterlockedIncrement64(p) __atomic_add_fetch(UMSSHIM_AT(p, LONGLONG), 1, __ATOMIC_SEQ_CST)
#define _InterlockedDecrement(p) __atomic_sub_fetch(UMSSHIM_AT(p, LONG), 1, __ATOMIC_SEQ_CST)
#define _InterlockedDecrement16(p) __atomic_sub_fetch(UMSSHIM_AT(p, short), 1, __ATOMIC_SEQ_CST)
#define _InterlockedDecrement64(p) __atomic_sub_fetch(UMSSHIM_AT(p, LONGLONG), 1, __ATOMIC_SEQ_CST)
#define _InterlockedExchange(p, value)                                                             \
    __atomic_exchange_n(UMSSHIM_AT(p, LONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedExchange8(p, value)                                                            \
    __atomic_exchange_n(UMSSHIM_AT(p, char), (value), __ATOMIC_SEQ_CST)
#define _InterlockedExchange16(p, value)                                                           \
    __atomic_exchange_n(UMSSHIM_AT(p, short), (value), __ATOMIC_SEQ_CST)
#define _InterlockedExchange64(p, value)                                                           \
    __atomic_exchange_n(UMSSHIM_AT(p, LONGLONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedExchangeAdd(p, value)                                                          \
    __atomic_fetch_add(UMSSHIM_AT(p, LONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedExchangeAdd8(p, value)                                                         \
    __atomic_fetch_add(UMSSHIM_AT(p, char), (value), __ATOMIC_SEQ_CST)
#define _InterlockedExchangeAdd16(p, value)                                                        \
    __atomic_fetch_add(UMSSHIM_AT(p, short), (value), __ATOMIC_SEQ_CST)
#define _InterlockedExchangeAdd64(p, value)                                                        \
    __atomic_fetch_add(UMSSHIM_AT(p, LONGLONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedAdd(p, value) __atomic_add_fetch(UMSSHIM_AT(p, LONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedAdd64(p, value)                                                                \
    __atomic_add_fetch(UMSSHIM_AT(p, LONGLONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedAnd(p, value) __atomic_fetch_and(UMSSHIM_AT(p, LONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedAnd8(p, value)                                                                 \
    __atomic_fetch_and(UMSSHIM_AT(p, char), (value), __ATOMIC_SEQ_CST)
#define _InterlockedAnd16(p, value)                                                                \
    __atomic_fetch_and(UMSSHIM_AT(p, short), (value), __ATOMIC_SEQ_CST)
#define _InterlockedAnd64(p, value)                                                                \
    __atomic_fetch_and(UMSSHIM_AT(p, LONGLONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedOr(p, value) __atomic_fetch_or(UMSSHIM_AT(p, LONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedOr8(p, value) __atomic_fetch_or(UMSSHIM_AT(p, char), (value), __ATOMIC_SEQ_CST)
#define _InterlockedOr16(p, value)                                                                 \
    __atomic_fetch_or(UMSSHIM_AT(p, short), (value), __ATOMIC_SEQ_CST)
#define _InterlockedOr64(p, value)                                                                 \
    __atomic_fetch_or(UMSSHIM_AT(p, LONGLONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedXor(p, value) __atomic_fetch_xor(UMSSHIM_AT(p, LONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedXor8(p, value)                                                                 \
    __atomic_fetch_xor(UMSSHIM_AT(p, char), (value), __ATOMIC_SEQ_CST)
#define _InterlockedXor16(p, value)                                                                \
    __atomic_fetch_xor(UMSSHIM_AT(p, short), (value), __ATOMIC_SEQ_CST)
#define _InterlockedXor64(p, value)                                                                \
    __atomic_fetch_xor(UMSSHIM_AT(p, LONGLONG), (value), __ATOMIC_SEQ_CST)
#define _InterlockedCompareExchange(p, value, expected)                                            \
    __sync_val_compare_and_swap(UMSSHIM_AT(p, LONG), (expected), (value))
#define _InterlockedCompareExchange8(p, value, expected)                                           \
    __sync_val_compare_and_swap(UMSSHIM_AT(p, char), (expected), (value))
#define _InterlockedCompareExchange16(p, value, expected)                                          \
    __sync_val_compare_and_swap(UMSSHIM_AT(p, short), (expected), (value))
#define _InterlockedCompareExchange64(p, value, expected)                                          \
    __sync_val_compare_and_swap(UMSSHIM_AT(p, LONGLONG), (expected), (value))
#endif

/* ---- Bits: number `bit` counted from the base, whatever unit the source has there ------------ */

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

/* The plain operations need not be atomic, but may be. */
#define _bittestandset _interlockedbittestandset
#define _bittestandreset _interlockedbittestandreset
#define _bittestandcomplement _interlockedbittestandcomplement

#include "umsshim_interlocked_names.h"

#endif
#endif
