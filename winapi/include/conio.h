/* SPDX-License-Identifier: MIT
 *
 * conio.h - single keys from the terminal: enough for programs that end with "press any key".
 *
 * If stdin is no terminal, the keys are its bytes, and _getch returns EOF at their end.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/conio.h>
#elif defined(_MSC_VER)
#include_next <conio.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <conio.h>
#elif !defined(UMSSHIM_CONIO_H)
#define UMSSHIM_CONIO_H

#include <poll.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

/* Turns line mode and echo off. The caller sets `before` again afterwards. */
static inline int umsshim_keys(struct termios *before)
{
    struct termios keys;

    if (tcgetattr(0, before) != 0)
        return 0;
    keys = *before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(0, TCSANOW, &keys);
    return 1;
}

static inline int _kbhit(void)
{
    struct pollfd input = {0, POLLIN, 0};
    struct termios before;
    int changed = umsshim_keys(&before);
    int ready = poll(&input, 1, 0) > 0;

    if (changed)
        tcsetattr(0, TCSANOW, &before);
    return ready;
}

static inline int _getch(void)
{
    struct termios before;
    int changed = umsshim_keys(&before);
    unsigned char key;
    int result = read(0, &key, 1) == 1 ? key : EOF;

    if (changed)
        tcsetattr(0, TCSANOW, &before);
    return result;
}

static inline int _getche(void)
{
    int key = _getch();

    if (key != EOF)
        putchar(key);
    return key;
}

static inline int _putch(int character)
{
    return putchar(character);
}
#define _cprintf printf
#define _cputs(string) fputs((string), stdout)

#endif
#endif /* _MSC_VER */
