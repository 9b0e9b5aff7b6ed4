/* SPDX-License-Identifier: MIT
 *
 * net.h - blocking TCP on the loopback, as little of it as the server needs. One file per system
 * implements it; none of it includes <windows.h>, nor does anything else here see a socket header.
 */
#ifndef SERVER_NET_H
#define SERVER_NET_H

typedef long long NET_SOCKET; /* -1: none */

NET_SOCKET NetListen(unsigned short *port); /* 0: any port, which it then tells */
NET_SOCKET NetAccept(NET_SOCKET listener);  /* blocks; none: it was stopped, or failed for good */
int NetReceive(NET_SOCKET socket, void *buffer, int bytes); /* blocks; 0: the other side closed */
int NetSend(NET_SOCKET socket, const void *buffer, int bytes); /* blocks; -1: it is gone */
/* From here on libc makes none of the calls that block; 0: this system has no such way. */
int NetCallBare(void);
void NetStop(NET_SOCKET listener); /* ends accepting, from another thread */
void NetClose(NET_SOCKET socket);

#endif
