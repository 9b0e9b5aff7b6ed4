/* SPDX-License-Identifier: MIT
 *
 * messenger.h - what is done with a notification: its call is sent back to its thread, or let go
 * on.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_MESSENGER_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_MESSENGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct carrier;
struct lane;

/* Of a carrier; begins with the first. The change of owner is the lock:
 *     OPEN -> SENDING   the reactor, acquire      SENDING -> OPEN   the reactor, release
 *     OPEN -> ENDED     the carrier, acquire      ENDED -> OPEN     the carrier, release */
enum messages_of { MESSAGES_OPEN, MESSAGES_SENDING, MESSAGES_ENDED };

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

/* On the carrier. True: no message is sent to it from now on, and each that was comes at the latest
 * when its next system call ends. False: one is being sent; to be tried again at a later call. */
bool messages_end(struct carrier *carrier);
/* On the carrier, which goes on to be notified. */
void messages_resume(struct carrier *carrier);
/* On any thread, in the handler, at an instruction of the program's: a message may come here. */
bool message_may_come(void);

#endif
