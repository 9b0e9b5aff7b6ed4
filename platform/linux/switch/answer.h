/* SPDX-License-Identifier: MIT
 *
 * answer.h - answering the notification in which a carrier stands, once.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_ANSWER_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_ANSWER_H

#include "platform/linux/os/caps.h"
#include "platform/linux/switch/carrier.h"

/* Any thread: the call that the carrier stands in has its result. */
void call_answer(struct call *call, struct carrier *waiting);
/* The same for one whose worker is to end: `signal` meets it on its way out. */
void call_send_off(struct call *call, struct carrier *waiting, int signal);

/* ---- With carrier->lock held ---- */

/* Answers the notification that it stands in. */
void call_deliver(struct call *call, struct carrier *waiting);
/* A signal of ours withdraws the notification that it stands in, now. */
static inline bool call_comes_again(const struct carrier *carrier)
{
    return !engine_caps.killable &&
           atomic_load_explicit(&carrier->signal_due, memory_order_acquire);
}
/* Lets a standing carrier that has a signal due out of its notification; the kernel makes the call again
 * after the handler. */
void carrier_release(struct carrier *carrier);

#endif
