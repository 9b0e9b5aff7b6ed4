/* SPDX-License-Identifier: MIT
 *
 * intsafe.h - integer arithmetic that reports an overflow.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../shared/intsafe.h>
#elif defined(_MSC_VER)
#include_next <intsafe.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <intsafe.h>
#elif !defined(UMSSHIM_INTSAFE_H)
#define UMSSHIM_INTSAFE_H

#include <windows.h>

#ifndef INTSAFE_E_ARITHMETIC_OVERFLOW
#define INTSAFE_E_ARITHMETIC_OVERFLOW ((HRESULT)0x80070216L)
#endif

/* After a failure the result is the type's greatest value, as Microsoft's; -1 for a type with a
 * sign. */
#define UMSSHIM_SAFE(name, type, operation)                                                        \
    static inline HRESULT name(type left, type right, type *result)                                \
    {                                                                                              \
        if (!__builtin_##operation##_overflow(left, right, result))                                \
            return S_OK;                                                                           \
        *result = (type)-1;                                                                        \
        return INTSAFE_E_ARITHMETIC_OVERFLOW;                                                      \
    }
#define UMSSHIM_SAFE_THREE(name, type)                                                             \
    UMSSHIM_SAFE(name##Add, type, add)                                                             \
    UMSSHIM_SAFE(name##Sub, type, sub)                                                             \
    UMSSHIM_SAFE(name##Mult, type, mul)
UMSSHIM_SAFE_THREE(UChar, unsigned char)
UMSSHIM_SAFE_THREE(UShort, USHORT)
UMSSHIM_SAFE_THREE(UInt, UINT)
UMSSHIM_SAFE_THREE(UIntPtr, UINT_PTR)
UMSSHIM_SAFE_THREE(ULong, ULONG)
UMSSHIM_SAFE_THREE(ULongPtr, ULONG_PTR)
UMSSHIM_SAFE_THREE(ULongLong, ULONGLONG)
UMSSHIM_SAFE_THREE(Word, WORD)
UMSSHIM_SAFE_THREE(DWord, DWORD)
UMSSHIM_SAFE_THREE(DWordPtr, DWORD_PTR)
UMSSHIM_SAFE_THREE(SizeT, SIZE_T)
UMSSHIM_SAFE_THREE(Int8, signed char)
UMSSHIM_SAFE_THREE(Short, SHORT)
UMSSHIM_SAFE_THREE(Int, INT)
UMSSHIM_SAFE_THREE(IntPtr, INT_PTR)
UMSSHIM_SAFE_THREE(Long, LONG)
UMSSHIM_SAFE_THREE(LongLong, LONGLONG)
UMSSHIM_SAFE_THREE(SSizeT, SSIZE_T)

#define UMSSHIM_CONVERT(name, from, to)                                                            \
    static inline HRESULT name(from value, to *result)                                             \
    {                                                                                              \
        if (!__builtin_add_overflow(value, 0, result))                                             \
            return S_OK;                                                                           \
        *result = (to)-1;                                                                          \
        return INTSAFE_E_ARITHMETIC_OVERFLOW;                                                      \
    }
UMSSHIM_CONVERT(IntToUChar, INT, unsigned char)
UMSSHIM_CONVERT(IntToUShort, INT, USHORT)
UMSSHIM_CONVERT(IntToUInt, INT, UINT)
UMSSHIM_CONVERT(IntToULong, INT, ULONG)
UMSSHIM_CONVERT(IntToSizeT, INT, SIZE_T)
UMSSHIM_CONVERT(IntToShort, INT, SHORT)
UMSSHIM_CONVERT(UIntToInt, UINT, INT)
UMSSHIM_CONVERT(UIntToUShort, UINT, USHORT)
UMSSHIM_CONVERT(LongToUInt, LONG, UINT)
UMSSHIM_CONVERT(LongToULong, LONG, ULONG)
UMSSHIM_CONVERT(ULongToInt, ULONG, INT)
UMSSHIM_CONVERT(ULongToLong, ULONG, LONG)
UMSSHIM_CONVERT(ULongToUShort, ULONG, USHORT)
UMSSHIM_CONVERT(DWordToInt, DWORD, INT)
UMSSHIM_CONVERT(DWordToUShort, DWORD, USHORT)
UMSSHIM_CONVERT(LongLongToInt, LONGLONG, INT)
UMSSHIM_CONVERT(LongLongToLong, LONGLONG, LONG)
UMSSHIM_CONVERT(LongLongToULong, LONGLONG, ULONG)
UMSSHIM_CONVERT(LongLongToSizeT, LONGLONG, SIZE_T)
UMSSHIM_CONVERT(ULongLongToInt, ULONGLONG, INT)
UMSSHIM_CONVERT(ULongLongToUInt, ULONGLONG, UINT)
UMSSHIM_CONVERT(ULongLongToULong, ULONGLONG, ULONG)
UMSSHIM_CONVERT(ULongLongToLong, ULONGLONG, LONG)
UMSSHIM_CONVERT(ULongLongToLongLong, ULONGLONG, LONGLONG)
UMSSHIM_CONVERT(SizeTToInt, SIZE_T, INT)
UMSSHIM_CONVERT(SizeTToUInt, SIZE_T, UINT)
UMSSHIM_CONVERT(SizeTToLong, SIZE_T, LONG)
UMSSHIM_CONVERT(SizeTToULong, SIZE_T, ULONG)
UMSSHIM_CONVERT(SizeTToDWord, SIZE_T, DWORD)

#undef UMSSHIM_SAFE
#undef UMSSHIM_SAFE_THREE
#undef UMSSHIM_CONVERT

#endif
#endif /* _MSC_VER */
