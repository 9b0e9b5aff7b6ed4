/* SPDX-License-Identifier: MIT
 *
 * wmain.c - the `main` of a program that has wmain, in a library of its own, from which the linker
 * takes it only if there is no other main. Arguments and environment become UTF-16; invalid UTF-8
 * becomes U+FFFD.
 *
 * A C++ compiler mangles the name of wmain by its parameters, while Microsoft's leaves it like
 * main. So this code looks for each name that wmain may have.
 */
#include <stdio.h>
#include <stdlib.h>

#include "winapi/include/windows.h"

#pragma weak wmain
#pragma weak _Z5wmainv
#pragma weak _Z5wmainiPPw
#pragma weak _Z5wmainiPPKw
#pragma weak _Z5wmainiPPwS0_
#pragma weak _Z5wmainiPPKwS1_
int wmain(int count, WCHAR **arguments, WCHAR **environment);
int _Z5wmainv(void);
int _Z5wmainiPPw(int count, WCHAR **arguments);
int _Z5wmainiPPKw(int count, WCHAR **arguments);
int _Z5wmainiPPwS0_(int count, WCHAR **arguments, WCHAR **environment);
int _Z5wmainiPPKwS1_(int count, WCHAR **arguments, WCHAR **environment);

/* Makes a list of texts with a NULL at its end, which is never freed. */
static WCHAR **widened(char **texts)
{
    size_t count = 0;
    while (texts[count])
        count++;
    WCHAR **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        int units = MultiByteToWideChar(CP_UTF8, 0, texts[i], -1, NULL, 0);
        list[i] = calloc((size_t)units + 1, sizeof **list);
        if (!list[i])
            return NULL;
        MultiByteToWideChar(CP_UTF8, 0, texts[i], -1, list[i], units);
    }
    return list;
}

int main(int count, char **narrow, char **narrow_environment)
{
    WCHAR **arguments = widened(narrow), **environment = widened(narrow_environment);
    if (!arguments || !environment) {
        fputs("umsshim: no memory for the arguments of wmain\n", stderr);
        return EXIT_FAILURE;
    }
    if (wmain)
        return wmain(count, arguments, environment);
    if (_Z5wmainiPPw)
        return _Z5wmainiPPw(count, arguments);
    if (_Z5wmainiPPKw)
        return _Z5wmainiPPKw(count, arguments);
    if (_Z5wmainiPPwS0_)
        return _Z5wmainiPPwS0_(count, arguments, environment);
    if (_Z5wmainiPPKwS1_)
        return _Z5wmainiPPKwS1_(count, arguments, environment);
    if (_Z5wmainv)
        return _Z5wmainv();
    fputs("umsshim: the program has neither main nor wmain: it needs one of them\n", stderr);
    return EXIT_FAILURE;
}
