/* SPDX-License-Identifier: MIT
 *
 * float.h - the compiler's, plus Microsoft's names for the floating-point unit and for odd values.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/float.h>
#elif defined(_MSC_VER)
#include_next <float.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <float.h>

#if !defined(_WIN32) && !defined(UMSSHIM_FLOAT_H)
#define UMSSHIM_FLOAT_H

#include "umsshim_crt.h"

/* Exceptions: what _statusfp reports, and what a set bit of the control word masks. */
#define _SW_INEXACT 0x00000001
#define _SW_UNDERFLOW 0x00000002
#define _SW_OVERFLOW 0x00000004
#define _SW_ZERODIVIDE 0x00000008
#define _SW_INVALID 0x00000010
#define _SW_DENORMAL 0x00080000
#define _MCW_EM 0x0008001f
#define _EM_INEXACT 0x00000001
#define _EM_UNDERFLOW 0x00000002
#define _EM_OVERFLOW 0x00000004
#define _EM_ZERODIVIDE 0x00000008
#define _EM_INVALID 0x00000010
#define _EM_DENORMAL 0x00080000
#define _MCW_RC 0x00000300
#define _RC_NEAR 0x00000000
#define _RC_DOWN 0x00000100
#define _RC_UP 0x00000200
#define _RC_CHOP 0x00000300
#define _MCW_PC 0x00030000 /* x64 has no such control: to ask for it changes nothing */
#define _PC_64 0x00000000
#define _PC_53 0x00010000
#define _PC_24 0x00020000
#define _MCW_DN 0x03000000
#define _DN_SAVE 0x00000000
#define _DN_FLUSH 0x01000000
#define _DN_FLUSH_OPERANDS_SAVE_RESULTS 0x02000000
#define _DN_SAVE_OPERANDS_FLUSH_RESULTS 0x03000000
#define _CW_DEFAULT (_RC_NEAR | _PC_53 | _MCW_EM)

#define _FPCLASS_SNAN 0x0001
#define _FPCLASS_QNAN 0x0002
#define _FPCLASS_NINF 0x0004
#define _FPCLASS_NN 0x0008
#define _FPCLASS_ND 0x0010
#define _FPCLASS_NZ 0x0020
#define _FPCLASS_PZ 0x0040
#define _FPCLASS_PD 0x0080
#define _FPCLASS_PN 0x0100
#define _FPCLASS_PINF 0x0200

/* In both of its words the processor has the exceptions in another order. */
static inline unsigned umsshim_from_x86(unsigned bits)
{
    return (bits & 0x20 ? _SW_INEXACT : 0) | (bits & 0x10 ? _SW_UNDERFLOW : 0) |
           (bits & 0x08 ? _SW_OVERFLOW : 0) | (bits & 0x04 ? _SW_ZERODIVIDE : 0) |
           (bits & 0x02 ? _SW_DENORMAL : 0) | (bits & 0x01 ? _SW_INVALID : 0);
}

static inline unsigned umsshim_to_x86(unsigned bits)
{
    return (bits & _SW_INEXACT ? 0x20u : 0) | (bits & _SW_UNDERFLOW ? 0x10u : 0) |
           (bits & _SW_OVERFLOW ? 0x08u : 0) | (bits & _SW_ZERODIVIDE ? 0x04u : 0) |
           (bits & _SW_DENORMAL ? 0x02u : 0) | (bits & _SW_INVALID ? 0x01u : 0);
}

/* Sets both units alike: SSE computes doubles, x87 computes long doubles. */
static inline unsigned umsshim_control(unsigned wanted, unsigned mask)
{
    unsigned sse = __builtin_ia32_stmxcsr();
    unsigned flush = (sse & 0x8000 ? 1u : 0) | (sse & 0x0040 ? 2u : 0); /* results, operands */
    static const unsigned names[] = {_DN_SAVE, _DN_SAVE_OPERANDS_FLUSH_RESULTS,
                                     _DN_FLUSH_OPERANDS_SAVE_RESULTS, _DN_FLUSH};
    unsigned now = umsshim_from_x86(sse >> 7) | (sse >> 13 & 3) << 8 | names[flush];
    unsigned short x87;

    if (!(mask & (_MCW_EM | _MCW_RC | _MCW_DN)))
        return now;
    now = (now & ~mask) | (wanted & mask);
    now &= _MCW_EM | _MCW_RC | _MCW_DN;
    sse &= ~0xFFC0u;
    sse |= umsshim_to_x86(now) << 7 | (now >> 8 & 3) << 13;
    if ((now & _MCW_DN) == _DN_FLUSH || (now & _MCW_DN) == _DN_SAVE_OPERANDS_FLUSH_RESULTS)
        sse |= 0x8000;
    if ((now & _MCW_DN) == _DN_FLUSH || (now & _MCW_DN) == _DN_FLUSH_OPERANDS_SAVE_RESULTS)
        sse |= 0x0040;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    x87 = (unsigned short)((x87 & 0xF3C0u) | umsshim_to_x86(now) | (now >> 8 & 3) << 10);
    __asm__ volatile("fldcw %0" ::"m"(x87));
    __builtin_ia32_ldmxcsr(sse);
    return now;
}

static inline unsigned _control87(unsigned wanted, unsigned mask)
{
    return umsshim_control(wanted, mask);
}

/* Leaves the trap of denormal operands alone. */
static inline unsigned _controlfp(unsigned wanted, unsigned mask)
{
    return umsshim_control(wanted, mask & ~(unsigned)_EM_DENORMAL);
}

static inline errno_t _controlfp_s(unsigned *now, unsigned wanted, unsigned mask)
{
    unsigned set = _controlfp(wanted, mask);

    if (now)
        *now = set;
    return 0;
}

static inline unsigned _statusfp(void)
{
    unsigned short x87;

    __asm__ volatile("fnstsw %0" : "=m"(x87));
    return umsshim_from_x86(__builtin_ia32_stmxcsr() | x87);
}

static inline unsigned _clearfp(void)
{
    unsigned before = _statusfp();

    __asm__ volatile("fnclex");
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x3Fu);
    return before;
}
#define _status87 _statusfp
#define _clear87 _clearfp

static inline void _fpreset(void)
{
    __asm__ volatile("fninit");
    __builtin_ia32_ldmxcsr(0x1F80);
}

static inline int _isnan(double value)
{
    return __builtin_isnan(value);
}

static inline int _finite(double value)
{
    return __builtin_isfinite(value);
}

static inline double _copysign(double value, double sign)
{
    return __builtin_copysign(value, sign);
}

static inline int _fpclass(double value)
{
    unsigned long long bits;
    int negative;

    __builtin_memcpy(&bits, &value, sizeof(bits));
    negative = (int)(bits >> 63);
    if (__builtin_isnan(value))
        return bits >> 51 & 1 ? _FPCLASS_QNAN : _FPCLASS_SNAN;
    if (__builtin_isinf(value))
        return negative ? _FPCLASS_NINF : _FPCLASS_PINF;
    if (value == 0)
        return negative ? _FPCLASS_NZ : _FPCLASS_PZ;
    if (__builtin_isnormal(value))
        return negative ? _FPCLASS_NN : _FPCLASS_PN;
    return negative ? _FPCLASS_ND : _FPCLASS_PD;
}

#endif
#endif /* _MSC_VER */
