/* SPDX-License-Identifier: MIT
 *
 * lines.h - the load's connections, and what arrives on them: epoll on Linux, a completion port on
 * Windows.
 *
 * Used by one thread, so that the load takes as little of the machine from the server as it can.
 */
#ifndef SERVER_LOAD_LINES_H
#define SERVER_LOAD_LINES_H

#include <stdbool.h>

struct arrival {
    int line;
    int bytes; /* at the place that was told; 0: the server closed the connection */
};

/* Room for lines 0 to count - 1. False: there is none. */
bool lines_open(int count);
void lines_close(void);

/* False: it could not be done, which is said on stderr. */
bool line_connect(int line, unsigned short port);
/* All of it. False: the connection is gone. */
bool line_send(int line, const void *message, int bytes);
/* Where what arrives next is put, up to so many bytes. To be said before each arrival. */
bool line_expect(int line, void *place, int bytes);

/* Waits until there is something. How many; 0: nothing came within the time. */
int lines_arrived(struct arrival *arrivals, int room, int milliseconds);

#endif
