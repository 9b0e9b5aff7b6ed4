/* SPDX-License-Identifier: MIT
 *
 * messenger.h - how the reactor handles a notification: it sends the call back to its thread, or
 * lets it go on.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_MESSENGER_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_MESSENGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct carrier;
struct lane;

/* `messages` of a carrier: how many were sent, in steps of MESSAGE_ONE, and two marks.
 *     the reactor   before it sends: unless ENDED, counts one more and sets SENDING (acquire)
 *                   when it has sent: clears SENDING (release)
 *     the carrier   sets ENDED (acquire), unless SENDING is set and fewer have come than were sent;
 *                   clears ENDED if the kernel refuses the filter (release)
 * So with ENDED set no message is under way but those that come when the next system call ends.
 * SENDING alone would not do: the signal wakes the carrier, which may run while the reactor waits
 * for the processor that they share. */
enum { MESSAGES_ENDED = 1, MESSAGES_SENDING = 2, MESSAGE_ONE = 4 };

/* The messages that the reactor sent last, the oldest first. Only the reactor uses them. */
enum { MESSAGES = 16 };
struct messages {
    unsigned count;
    struct message_sent {
        uint64_t id; /* the notification's */
        uint64_t at;
        pid_t tid;
    } sent[MESSAGES];
};

/* The reactor calls this. It receives a notification, if there is one, and handles it. */
void messenger_receive(struct messages *messages, struct lane *lane);
/* Looks after the messages that should have arrived. Returns the nanoseconds after which to look
 * again; 0: none is under way. */
uint64_t messages_look(struct messages *messages, const struct lane *lane);

/* The carrier calls this. True: from now on the reactor sends it no message, and earlier ones come
 * at the latest when the carrier's next system call ends. False: the reactor is sending one; the
 * carrier tries again at a later call. */
bool messages_end(struct carrier *carrier);
/* The carrier calls this: the reactor goes on to send it messages. */
void messages_resume(struct carrier *carrier);
/* The handler of SIGSYS calls this on any thread, once for each signal that may be a message. True:
 * the signal is one. */
bool message_came(void);
/* The handler of SIGSYS calls this on a carrier, for a message that came at an instruction of the
 * program's. False is an error: the carrier traps, and the reactor sends it no messages. */
bool message_may_come(void);

#endif
