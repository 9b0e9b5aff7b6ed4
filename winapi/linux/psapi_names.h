/* SPDX-License-Identifier: MIT
 *
 * psapi_names.h - psapi.dll's names of functions whose names in kernel32.dll begin with "K32". A
 * program's PSAPI_VERSION says which it links, so the library exports both.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PSAPI_NAMES_H
#define UMSSHIM_WINAPI_LINUX_PSAPI_NAMES_H

/* <psapi.h> defines each of them as a macro. */
#undef EnumProcessModules
#undef EnumProcessModulesEx
#undef EnumProcesses
#undef GetModuleBaseNameA
#undef GetModuleBaseNameW
#undef GetModuleFileNameExA
#undef GetModuleFileNameExW
#undef GetModuleInformation
#undef GetPerformanceInfo
#undef GetProcessImageFileNameA
#undef GetProcessImageFileNameW
#undef GetProcessMemoryInfo

/* Used after the definition of K32`name`, with the types of its parameters. The headers do not
 * declare `name`, so without the attribute it would be hidden. */
#define PSAPI_NAME(result, name, ...)                                                              \
    __attribute__((visibility("default"), alias("K32" #name))) result WINAPI name(__VA_ARGS__)

#endif
