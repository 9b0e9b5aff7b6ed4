/* SPDX-License-Identifier: MIT
 *
 * letters.h - messages of WSASendMsg and WSARecvMsg, and two sockets that exchange them.
 */
#ifndef UMSSHIM_TESTS_API_LETTERS_H
#define UMSSHIM_TESTS_API_LETTERS_H

#include "sockets.h"

extern LPFN_WSARECVMSG receive_message; /* once a pair is open */
extern LPFN_WSASENDMSG send_message;

/* A message with room for everything. */
struct letter {
    WSAMSG message;
    WSABUF part;
    struct sockaddr_storage name;
    char text[16];
    _Alignas(8) char control[128];
};

WSAMSG *prepare(struct letter *letter);
/* Prepares the letter to be sent to this address, without control data. */
WSAMSG *write_to(struct letter *letter, const void *address, int length);
/* The control data of this kind in a message that came; NULL: none. */
void *control_of(WSAMSG *message, int level, int type);
void *add_control(WSAMSG *message, struct letter *letter, int level, int type, size_t bytes);

/* Two sockets of this family on its loopback. The first asks for the addresses of what it receives.
 * */
struct pair {
    SOCKET one, other;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    int length;
};

/* False: no loopback of this family. */
bool open_pair(int family, struct pair *pair);
void close_pair(struct pair *pair);
void ask_for_addresses(SOCKET one, int family);

#endif
