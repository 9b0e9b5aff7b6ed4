/* SPDX-License-Identifier: MIT
 *
 * crowd.h - workers that all wait in accept or connect, and a plain thread that serves them.
 *
 * The workers call libc's function, whose call site is rewritten, and make the bare system call,
 * which the filter sees. If io_uring is refused, and for bare calls that a listener sees, a kernel
 * thread does wait: there the tests do not check that.
 */
#ifndef UMSSHIM_TESTS_LINUX_CROWD_H
#define UMSSHIM_TESTS_LINUX_CROWD_H

#include "is_set.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { POOL = 100, LINE = 6, SETTLE_US = 20000, LIMIT_MS = 10000 };

/* ---- Doors ---- */

enum door { LIBC, BARE };

/* Whether no kernel thread may wait in a call that is made so. */
bool in_user_mode(enum door door);
/* Whether the library sees a call that is made so. */
bool is_seen(enum door door);
int accept_by(enum door door, int fd);

/* ---- Sockets ---- */

/* The address of the listener that listen_here or listen_full made last. */
extern struct sockaddr_in listening_at;

int listen_here(int backlog);
/* Makes a listener whose queue is full: a client that connects waits. The client's kernel asks
 * again after a second. */
int listen_full(int *occupant);
/* Makes a Unix listener; the kernel gives it a name. */
int listen_unix(struct sockaddr_un *name, socklen_t *length, int backlog);
int new_socket(void);
/* Makes a socket that is connected to listening_at. */
int connected(void);
/* Sets SO_RCVTIMEO or SO_SNDTIMEO to so many milliseconds. */
void limit_by(int fd, int option, int ms);

/* ---- Crowds ---- */

/* Workers in one call. */
struct crowd {
    struct fleet *fleet;
    enum door door;
    int listener, count;
    void (*call)(struct crowd *crowd, int index);
    void (*serve)(struct crowd *crowd); /* when all of them are blocked */
    int entered[POOL];
    long blocked_before[POOL]; /* how often it had blocked when it entered */
    int in_line, returned;
    int line[POOL], order[POOL]; /* who came first, who went first */
    int result[POOL], error[POOL];
};

/* Runs the crowd until all calls have returned. Skips the test where the library does not see the
 * calls. */
void run_crowd(struct crowd *crowd);

/* What the crowd's workers call: accept at the listener, connect of clients[index]. */
void accept_there(struct crowd *crowd, int index);
void connect_there(struct crowd *crowd, int index);
extern int clients[POOL];

/* How the crowd is served. This one makes a connection for each worker that accepts, one after the
 * other. */
void connect_in_turn(struct crowd *crowd);
/* Gives the listener's queue room for all that connect, and waits until they have. */
void take_all(struct crowd *crowd);
/* Serves nobody: waits until each call has ended by its time. */
void nobody_comes(struct crowd *crowd);

/* Waits until the flag has counted so far. */
void wait_for_count(int *flag, int count);
/* Waits until so many of the process's threads stand in accept or connect: those that the program
 * has put there. If more stay, a call holds a thread that should be free. */
void wait_for_tasks(int count);

#endif
