/* SPDX-License-Identifier: MIT
 *
 * psapi_names.h - psapi.dll's names of functions that kernel32.dll has with "K32" before them. A
 * program links the one or the other as its PSAPI_VERSION says, so both are exported.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PSAPI_NAMES_H
#define UMSSHIM_WINAPI_LINUX_PSAPI_NAMES_H

/* <psapi.h> makes each of them a macro. */
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

/* After the definition of K32`name`, with the types of its parameters. The headers do not declare
 * `name`, so it would be hidden like anything of the library's own. */
#define PSAPI_NAME(result, name, ...)                                                              \
    __attribute__((visibility("default"), alias("K32" #name))) result WINAPI name(__VA_ARGS__)

#endif
