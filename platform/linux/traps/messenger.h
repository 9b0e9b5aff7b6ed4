/* SPDX-License-Identifier: MIT
 *
 * messenger.h - what is done with a notification: its call is sent back to its thread, or let go
 * on.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_MESSENGER_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_MESSENGER_H

#include <stdint.h>
#include <sys/types.h>

struct lane;

/* Sent lately, oldest first: the reactor's own. */
enum { MESSAGES = 16 };
struct messages {
    unsigned count;
    struct message_sent {
        uint64_t id; /* the notification's */
        uint64_t at;
        pid_t tid;
    } sent[MESSAGES];
};

/* On the reactor. Receives a notification, if there is one. */
void messenger_receive(struct messages *messages, struct lane *lane);
/* Looks after those that should have arrived: the time in nanoseconds after which to look again, 0:
 * none is under way. */
uint64_t messages_look(struct messages *messages, const struct lane *lane);

#endif
