/* SPDX-License-Identifier: MIT
 *
 * pipe_server.h - the pipe names of this process, and their instances.
 *
 * A name begins with its first instance and ends with its last one. Then its address is free again,
 * and the connection of a client that has no instance yet is closed.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PIPE_SERVER_H
#define UMSSHIM_WINAPI_LINUX_PIPE_SERVER_H

#include "winapi/linux/pipe.h"

struct pipe_name {
    struct pipe_name *next;
    char *key;
    int listener;
    uint64_t number; /* no other name ever had this number */
    struct pipe_facts facts;
    struct pipe_end *first;
};

/* Makes the end a listening instance of the name whose key `fresh` has. If this process has no such
 * name yet, `fresh` becomes the name. Takes `fresh` over. 0 or a Win32 error; ERROR_ALREADY_EXISTS:
 * another process has the name. */
DWORD win__pipe_instance(struct pipe_end *end, struct pipe_name *fresh, bool first);
/* The number of instances of the end's name. */
DWORD win__pipe_instances(const struct pipe_end *end);

/* The caller has the lock of all pipes. Has the instance listen, and tells the clients that wait
 * for that. */
void win__pipe_listens(struct pipe_end *end);
void win__pipes_lock(void);
void win__pipes_unlock(void);

#endif
