/* SPDX-License-Identifier: MIT
 *
 * winsock_scene.h - one call of Winsock's that waits, what ends the wait, and how both are run: on plain
 * threads, for what the call says there, and in workers of one scheduler, for what UMS makes of it.
 */
#ifndef UMSSHIM_TESTS_WINDOWS_WINSOCK_SCENE_H
#define UMSSHIM_TESTS_WINDOWS_WINSOCK_SCENE_H

#include <winsock2.h>

#include <stdbool.h>

#include "fleet.h"

enum { SCENE_MS = 10000 };  /* how long anything may take that must happen */
enum { LARGE = 256 << 10 }; /* bytes, of one send: more than what a pair of these sockets holds */

struct scene;
typedef void (*scene_step)(struct scene *);

struct scene {
    const char *name;
    /* Opens what is needed; every socket is NONE before. */
    scene_step prepare;
    /* In one worker: the call, and what it gave (scene_result). */
    scene_step wait;
    /* In another worker, once the call has been waiting for a while. NULL: time ends it. */
    scene_step complete;
    bool synchronous; /* the sockets are opened without WSA_FLAG_OVERLAPPED */

    SOCKET listener, here, there; /* the call is made on the first or the second */
    SOCKET more[32];
    int more_count;
    struct sockaddr_in address;
    WSAEVENT event;
    size_t filled; /* bytes that prepare_full sent */
    long long result;
    int error;
    int entered, returned;
    int asked; /* the scene's own */
};

#define NONE INVALID_SOCKET
/* Of which kind its sockets are; NO_THREAD: it is played in workers only, for it takes its time. */
enum scene_ways { OVERLAPPED_SOCKET = 1, SYNCHRONOUS_SOCKET = 2, BOTH_KINDS = 3, NO_THREAD = 4 };
enum { ANY_ERROR = -1 }; /* systems differ, or it depends on how far the call had come */

/* Runs it on threads and in workers. Expects of the workers: Blocked within the call, each with payload bit 0
 * set and each followed by an arrival; the others ran meanwhile; result and error are these, as they are on a
 * plain thread. */
void play(unsigned ways, const char *name, scene_step prepare, scene_step wait, scene_step complete,
          long long result, int error);

/* For prepare. Each records its failure. */
void make_listener(struct scene *scene, int backlog);
void make_pair(struct scene *scene); /* `here` and `there` are connected */
SOCKET make_client(struct scene *scene, bool blocking);
void set_blocking(SOCKET socket, bool blocking);
void prepare_listener(struct scene *scene);
void prepare_full(struct scene *scene); /* a pair; to send on `here` would wait */

/* For wait. */
void wait_accept(struct scene *scene);
void accepted(struct scene *scene, SOCKET socket); /* its result; what it gave may be used */
void wait_recv(struct scene *scene);               /* of "hello" */
void wait_send(struct scene *scene);               /* of LARGE bytes */

/* In a completing step: lets others go on, worker or thread. */
void scene_breathe(void);
/* For `wait`: SOCKET_ERROR, INVALID_SOCKET and WSA_WAIT_FAILED are all -1. */
void scene_result(struct scene *scene, long long result);

#endif
