/* SPDX-License-Identifier: MIT
 *
 * crtdbg.h - the debug heap's calls, which do nothing, and its assertions, which are <assert.h>'s.
 *
 * As on Windows, assertions do something only if _DEBUG is defined.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/crtdbg.h>
#elif defined(_MSC_VER)
#include_next <crtdbg.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <crtdbg.h>
#elif !defined(UMSSHIM_CRTDBG_H)
#define UMSSHIM_CRTDBG_H

#include <assert.h>
#include <stdio.h>

#ifdef _DEBUG
#define _ASSERT(condition) assert(condition)
#define _ASSERTE(condition) assert(condition)
#define _ASSERT_EXPR(condition, text) assert(condition)
#else
#define _ASSERT(condition) ((void)0)
#define _ASSERTE(condition) ((void)0)
#define _ASSERT_EXPR(condition, text) ((void)0)
#endif

#define _CRT_WARN 0
#define _CRT_ERROR 1
#define _CRT_ASSERT 2
#define _CRTDBG_MODE_FILE 1
#define _CRTDBG_MODE_DEBUG 2
#define _CRTDBG_MODE_WNDW 4
#define _CRTDBG_FILE_STDOUT NULL
#define _CRTDBG_FILE_STDERR NULL
#define _CRTDBG_ALLOC_MEM_DF 0x01
#define _CRTDBG_CHECK_ALWAYS_DF 0x04
#define _CRTDBG_LEAK_CHECK_DF 0x20
#define _CRTDBG_REPORT_FLAG (-1)

#define _CrtCheckMemory() 1
#define _CrtDumpMemoryLeaks() 0
#define _CrtSetBreakAlloc(number) (-1)
#define _CrtSetDbgFlag(flags) 0
#define _CrtSetReportFile(kind, file) ((void)0)
#define _CrtSetReportMode(kind, mode) 0
#define _RPT0(kind, format) ((void)0)
#define _RPT1(kind, format, a) ((void)0)
#define _RPTF0 _RPT0
#define _RPTF1 _RPT1

#endif
#endif /* _MSC_VER */
