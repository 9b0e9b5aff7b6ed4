/* SPDX-License-Identifier: MIT
 *
 * versionhelpers.h - whether the system is a version of Windows or a newer one: VerifyVersionInfo.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../um/versionhelpers.h>
#elif defined(_MSC_VER)
#include_next <versionhelpers.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include <windows.h>

#if defined(_WIN32)
#include_next <versionhelpers.h>
#elif !defined(UMSSHIM_VERSIONHELPERS_H)
#define UMSSHIM_VERSIONHELPERS_H

static inline BOOL IsWindowsVersionOrGreater(WORD wMajorVersion, WORD wMinorVersion,
                                             WORD wServicePackMajor)
{
    const DWORD fields = VER_MAJORVERSION | VER_MINORVERSION | VER_SERVICEPACKMAJOR;
    OSVERSIONINFOEXW least;
    ULONGLONG mask = VerSetConditionMask(0, VER_MAJORVERSION, VER_GREATER_EQUAL);
    mask = VerSetConditionMask(mask, VER_MINORVERSION, VER_GREATER_EQUAL);
    mask = VerSetConditionMask(mask, VER_SERVICEPACKMAJOR, VER_GREATER_EQUAL);
    ZeroMemory(&least, sizeof least);
    least.dwOSVersionInfoSize = sizeof least;
    least.dwMajorVersion = wMajorVersion;
    least.dwMinorVersion = wMinorVersion;
    least.wServicePackMajor = wServicePackMajor;
    return VerifyVersionInfoW(&least, fields, mask);
}

static inline BOOL IsWindowsServer(void)
{
    OSVERSIONINFOEXW workstation;
    ZeroMemory(&workstation, sizeof workstation);
    workstation.dwOSVersionInfoSize = sizeof workstation;
    workstation.wProductType = VER_NT_WORKSTATION;
    return !VerifyVersionInfoW(&workstation, VER_PRODUCT_TYPE,
                               VerSetConditionMask(0, VER_PRODUCT_TYPE, VER_EQUAL));
}

#define UMSSHIM_OR_GREATER(version, major, minor, service_pack)                                    \
    static inline BOOL IsWindows##version##OrGreater(void)                                         \
    {                                                                                              \
        return IsWindowsVersionOrGreater(major, minor, service_pack);                              \
    }
UMSSHIM_OR_GREATER(XP, 5, 1, 0)
UMSSHIM_OR_GREATER(XPSP1, 5, 1, 1)
UMSSHIM_OR_GREATER(XPSP2, 5, 1, 2)
UMSSHIM_OR_GREATER(XPSP3, 5, 1, 3)
UMSSHIM_OR_GREATER(Vista, 6, 0, 0)
UMSSHIM_OR_GREATER(VistaSP1, 6, 0, 1)
UMSSHIM_OR_GREATER(VistaSP2, 6, 0, 2)
UMSSHIM_OR_GREATER(7, 6, 1, 0)
UMSSHIM_OR_GREATER(7SP1, 6, 1, 1)
UMSSHIM_OR_GREATER(8, 6, 2, 0)
UMSSHIM_OR_GREATER(8Point1, 6, 3, 0)
UMSSHIM_OR_GREATER(10, 10, 0, 0)
#undef UMSSHIM_OR_GREATER

#endif
#endif /* _MSC_VER */
