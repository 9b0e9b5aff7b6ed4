/* SPDX-License-Identifier: MIT
 *
 * version.c - the version of Windows: 10.0, build 19045, a workstation.
 *
 * That is the last Windows 10, which has every call that the library has. Every program gets it; no
 * manifest is needed.
 */
#include "winapi/linux/nt.h"

enum { MAJOR = 10, MINOR = 0, BUILD = 19045, SUITES = VER_SUITE_SINGLEUSERTS };

DWORD WINAPI GetVersion(VOID)
{
    return (DWORD)BUILD << 16 | MINOR << 8 | MAJOR;
}

/* Both character sizes have the same fields; the service pack's text is empty. */
#define FILL(info, plain, extended)                                                                \
    do {                                                                                           \
        DWORD size = (info)->dwOSVersionInfoSize;                                                  \
        if (size != sizeof(plain) && size != sizeof(extended))                                     \
            return win__fail(ERROR_INSUFFICIENT_BUFFER);                                           \
        (info)->dwMajorVersion = MAJOR;                                                            \
        (info)->dwMinorVersion = MINOR;                                                            \
        (info)->dwBuildNumber = BUILD;                                                             \
        (info)->dwPlatformId = VER_PLATFORM_WIN32_NT;                                              \
        (info)->szCSDVersion[0] = 0;                                                               \
        if (size == sizeof(extended)) {                                                            \
            extended *more = (extended *)(info);                                                   \
            more->wServicePackMajor = more->wServicePackMinor = 0;                                 \
            more->wSuiteMask = SUITES;                                                             \
            more->wProductType = VER_NT_WORKSTATION;                                               \
            more->wReserved = 0;                                                                   \
        }                                                                                          \
        return TRUE;                                                                               \
    } while (0)

BOOL WINAPI GetVersionExA(OSVERSIONINFOA *lpVersionInformation)
{
    FILL(lpVersionInformation, OSVERSIONINFOA, OSVERSIONINFOEXA);
}

BOOL WINAPI GetVersionExW(OSVERSIONINFOW *lpVersionInformation)
{
    FILL(lpVersionInformation, OSVERSIONINFOW, OSVERSIONINFOEXW);
}

/* Like ntdll's, fills in as many fields as there is room for, and never fails. */
NTSTATUS WINAPI RtlGetVersion(RTL_OSVERSIONINFOEXW *info)
{
    if (info->dwOSVersionInfoSize != sizeof(RTL_OSVERSIONINFOEXW))
        info->dwOSVersionInfoSize = sizeof(OSVERSIONINFOW);
    GetVersionExW((OSVERSIONINFOW *)info);
    return 0;
}

/* Windows 6.0 and later have the product; older versions have none. */
BOOL WINAPI GetProductInfo(DWORD dwOSMajorVersion, DWORD dwOSMinorVersion, DWORD dwSpMajorVersion,
                           DWORD dwSpMinorVersion, PDWORD pdwReturnedProductType)
{
    (void)dwOSMinorVersion, (void)dwSpMajorVersion, (void)dwSpMinorVersion;
    if (!pdwReturnedProductType)
        return win__fail(ERROR_INVALID_PARAMETER);
    *pdwReturnedProductType = dwOSMajorVersion < 6 ? PRODUCT_UNDEFINED : PRODUCT_PROFESSIONAL;
    return dwOSMajorVersion >= 6 ? TRUE : win__fail(ERROR_INVALID_PARAMETER);
}

/* ---- Conditions: three bits for each field, in the order of the fields' own bits ------------- */

enum { CONDITION_BITS = 3, CONDITION_MASK = 7 };

ULONGLONG WINAPI VerSetConditionMask(ULONGLONG ConditionMask, DWORD TypeMask, BYTE Condition)
{
    for (int field = 7; field >= 0; field--) /* of several fields the highest */
        if (TypeMask >> field & 1)
            return ConditionMask | (ULONGLONG)(Condition & CONDITION_MASK)
                                       << field * CONDITION_BITS;
    return ConditionMask;
}

static BYTE condition_of(ULONGLONG mask, DWORD field)
{
    return mask >> (__builtin_ctz(field) * CONDITION_BITS) & CONDITION_MASK;
}

/* 0, ERROR_OLD_WIN_VERSION or ERROR_BAD_ARGUMENTS. */
static DWORD compare(DWORD ours, DWORD wanted, BYTE condition)
{
    bool holds;
    switch (condition) {
    case VER_EQUAL:
        holds = ours == wanted;
        break;
    case VER_GREATER:
        holds = ours > wanted;
        break;
    case VER_GREATER_EQUAL:
        holds = ours >= wanted;
        break;
    case VER_LESS:
        holds = ours < wanted;
        break;
    case VER_LESS_EQUAL:
        holds = ours <= wanted;
        break;
    default:
        return ERROR_BAD_ARGUMENTS;
    }
    return holds ? 0 : ERROR_OLD_WIN_VERSION;
}

static DWORD compare_suites(WORD wanted, BYTE condition)
{
    if (condition == VER_AND)
        return (wanted & ~SUITES) == 0 ? 0 : ERROR_OLD_WIN_VERSION;
    if (condition == VER_OR)
        return !wanted || (wanted & SUITES) ? 0 : ERROR_OLD_WIN_VERSION;
    return ERROR_BAD_ARGUMENTS;
}

/* Compares version and service pack like one number: the first field that differs decides, by the
 * condition of the first field that the program asks about. */
static DWORD compare_version(const OSVERSIONINFOEXW *wanted, DWORD fields, ULONGLONG mask)
{
    const struct {
        DWORD field, ours, wanted;
    } parts[] = {{VER_MAJORVERSION, MAJOR, wanted->dwMajorVersion},
                 {VER_MINORVERSION, MINOR, wanted->dwMinorVersion},
                 {VER_SERVICEPACKMAJOR, 0, wanted->wServicePackMajor},
                 {VER_SERVICEPACKMINOR, 0, wanted->wServicePackMinor}};
    BYTE condition = 0;
    DWORD result = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!(fields & parts[i].field))
            continue;
        if (!condition)
            condition = condition_of(mask, parts[i].field);
        result = compare(parts[i].ours, parts[i].wanted, condition);
        if (result == ERROR_BAD_ARGUMENTS || parts[i].ours != parts[i].wanted)
            return result;
    }
    return result;
}

static DWORD verify(const OSVERSIONINFOEXW *wanted, DWORD fields, ULONGLONG mask)
{
    DWORD error = 0;
    if (!fields || !mask || wanted->dwOSVersionInfoSize != sizeof *wanted)
        return ERROR_BAD_ARGUMENTS;
    if (!error && (fields & VER_PRODUCT_TYPE))
        error =
            compare(VER_NT_WORKSTATION, wanted->wProductType, condition_of(mask, VER_PRODUCT_TYPE));
    if (!error && (fields & VER_SUITENAME))
        error = compare_suites(wanted->wSuiteMask, condition_of(mask, VER_SUITENAME));
    if (!error && (fields & VER_PLATFORMID))
        error = compare(VER_PLATFORM_WIN32_NT, wanted->dwPlatformId,
                        condition_of(mask, VER_PLATFORMID));
    if (!error && (fields & VER_BUILDNUMBER))
        error = compare(BUILD, wanted->dwBuildNumber, condition_of(mask, VER_BUILDNUMBER));
    return error ? error : compare_version(wanted, fields, mask);
}

BOOL WINAPI VerifyVersionInfoW(LPOSVERSIONINFOEXW lpVersionInformation, DWORD dwTypeMask,
                               DWORDLONG dwlConditionMask)
{
    return win__result((int)verify(lpVersionInformation, dwTypeMask, dwlConditionMask));
}

BOOL WINAPI VerifyVersionInfoA(LPOSVERSIONINFOEXA lpVersionInformation, DWORD dwTypeMask,
                               DWORDLONG dwlConditionMask)
{
    OSVERSIONINFOEXW wide = {.dwOSVersionInfoSize = sizeof wide,
                             .dwMajorVersion = lpVersionInformation->dwMajorVersion,
                             .dwMinorVersion = lpVersionInformation->dwMinorVersion,
                             .dwBuildNumber = lpVersionInformation->dwBuildNumber,
                             .dwPlatformId = lpVersionInformation->dwPlatformId,
                             .wServicePackMajor = lpVersionInformation->wServicePackMajor,
                             .wServicePackMinor = lpVersionInformation->wServicePackMinor,
                             .wSuiteMask = lpVersionInformation->wSuiteMask,
                             .wProductType = lpVersionInformation->wProductType};
    if (lpVersionInformation->dwOSVersionInfoSize != sizeof *lpVersionInformation)
        return win__fail(ERROR_BAD_ARGUMENTS);
    return VerifyVersionInfoW(&wide, dwTypeMask, dwlConditionMask);
}
