/* SPDX-License-Identifier: MIT
 *
 * umsshim_wide_overloads.h - where a wchar_t has 16 bits, the five functions of <wchar.h> that C++
 * has twice, with and without const. libc gives them the linker's names itself, which no pragma
 * changes; so wchar.h reads its declarations under other names, and these stand in their place.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifdef _WCHAR_H /* not a part of it only */
#ifdef __CORRECT_ISO_CPP_WCHAR_H_PROTO
extern "C++" {
wchar_t *wcschr(wchar_t *string, wchar_t wanted) __asm__("umsshim_w_wcschr");
const wchar_t *wcschr(const wchar_t *string, wchar_t wanted) __asm__("umsshim_w_wcschr");
wchar_t *wcsrchr(wchar_t *string, wchar_t wanted) __asm__("umsshim_w_wcsrchr");
const wchar_t *wcsrchr(const wchar_t *string, wchar_t wanted) __asm__("umsshim_w_wcsrchr");
wchar_t *wcspbrk(wchar_t *string, const wchar_t *set) __asm__("umsshim_w_wcspbrk");
const wchar_t *wcspbrk(const wchar_t *string, const wchar_t *set) __asm__("umsshim_w_wcspbrk");
wchar_t *wcsstr(wchar_t *string, const wchar_t *wanted) __asm__("umsshim_w_wcsstr");
const wchar_t *wcsstr(const wchar_t *string, const wchar_t *wanted) __asm__("umsshim_w_wcsstr");
wchar_t *wmemchr(wchar_t *from, wchar_t wanted, size_t count) __asm__("umsshim_w_wmemchr");
const wchar_t *wmemchr(const wchar_t *from, wchar_t wanted,
                       size_t count) __asm__("umsshim_w_wmemchr");
}
#else
extern "C" {
wchar_t *wcschr(const wchar_t *string, wchar_t wanted);
wchar_t *wcsrchr(const wchar_t *string, wchar_t wanted);
wchar_t *wcspbrk(const wchar_t *string, const wchar_t *set);
wchar_t *wcsstr(const wchar_t *string, const wchar_t *wanted);
wchar_t *wmemchr(const wchar_t *from, wchar_t wanted, size_t count);
}
#endif
#endif
