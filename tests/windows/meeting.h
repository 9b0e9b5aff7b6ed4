/* SPDX-License-Identifier: MIT
 *
 * meeting.h - a worker makes a call that waits, another of the same scheduler runs meanwhile and ends the wait (BL-1),
 * and what the call returns is intact (BL-6).
 */
#ifndef UMSSHIM_TESTS_WINDOWS_MEETING_H
#define UMSSHIM_TESTS_WINDOWS_MEETING_H

#include <winsock2.h>

enum { LIMIT_MS = 10000 };

struct meeting {
    void (*block)(struct meeting *);
    void (*complete)(struct meeting *); /* NULL: time completes it */
    int entered;
    int returned;
    HANDLE a, b;
    volatile LONG word;
    SOCKET listener, client;
    struct sockaddr_in address;
};

/* Both steps, each by a worker; then a and b are closed, if they are there. */
void meet(struct meeting *meeting);

#endif
