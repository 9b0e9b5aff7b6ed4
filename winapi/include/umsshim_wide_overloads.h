/* SPDX-License-Identifier: MIT
 *
 * umsshim_wide_overloads.h - for a wchar_t of 16 bits: the five functions of <wchar.h> that C++ has
 * twice, with and without const. libc's declarations have names for the linker, which no pragma
 * changes. So wchar.h reads libc's declarations under other names, and these here replace them.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifdef _WCHAR_H /* libc's <wchar.h> has been read as a whole */
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
