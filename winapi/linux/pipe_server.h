/* SPDX-License-Identifier: MIT
 *
 * pipe_server.h - the names of pipes that this process has, and their instances.
 *
 * A name begins with its first instance and ends with its last one: from then on its address is
 * free, and a client that has connected and has no instance yet is shut out.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PIPE_SERVER_H
#define UMSSHIM_WINAPI_LINUX_PIPE_SERVER_H

#include "winapi/linux/pipe.h"

struct pipe_name {
    struct pipe_name *next;
    char *key;
    int listener;
    uint64_t number; /* unlike any other's, ever */
    struct pipe_facts facts;
    struct pipe_end *first;
};

/* Makes the end an instance, which listens, of the name whose key `fresh` has; or of `fresh`
 * itself, if this process has no such name yet. `fresh` is not the caller's any more. 0, or a Win32
 * error; ERROR_ALREADY_EXISTS: the name is another process's. */
DWORD win__pipe_instance(struct pipe_end *end, struct pipe_name *fresh, bool first);
/* How many there are of the end's name. */
DWORD win__pipe_instances(const struct pipe_end *end);

/* With the lock of all pipes: the instance listens, and clients that wait for that are told. */
void win__pipe_listens(struct pipe_end *end);
void win__pipes_lock(void);
void win__pipes_unlock(void);

#endif
