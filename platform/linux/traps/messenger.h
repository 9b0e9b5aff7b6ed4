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

/* `messages` of a carrier: how many were sent, in steps of MESSAGE_ONE, and two marks.
 *     the reactor   before it sends: unless ENDED, one more and SENDING (acquire)
 *                   when it has sent: SENDING goes (release)
 *     the carrier   ENDED comes (acquire) unless SENDING and not as many have come as were sent; it
 *                   goes again where the filter is refused (release)
 * So with ENDED nothing is under way but what comes when the next system call ends. SENDING alone
 * would not do: the signal wakes the carrier, which may run while the reactor waits for the
 * processor that they share. */
enum { MESSAGES_ENDED = 1, MESSAGES_SENDING = 2, MESSAGE_ONE = 4 };

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
/* The handler of SIGSYS calls it, on any thread, once for each signal that may be a message. True:
 * this one is. */
bool message_came(void);
/* On a carrier, in the handler of SIGSYS, which a message has raised at an instruction of the
 * program's. False is an error: the carrier traps, and the reactor sends it none. */
bool message_may_come(void);

#endif
