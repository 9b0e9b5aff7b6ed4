/* SPDX-License-Identifier: MIT
 *
 * proxy_list.h - declarations that proxy.c, proxy_signal.c and proxy_list.c share.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_PROXY_LIST_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_PROXY_LIST_H

#include "platform/linux/dispatch/proxy.h"
#include "platform/linux/dispatch/shared_word.h"

enum { PROXY_BUCKETS = 64 };

/* The proxy's bucket, as a bit of `which` (peers.h). */
static inline uint64_t proxy_bucket(const struct proxy *proxy)
{
    return UINT64_C(1) << proxy->file % PROXY_BUCKETS;
}

/* Whether a word of this type has a signal to take. */
static inline bool signalled(enum object_type type, uint64_t word)
{
    uint32_t value = word_value(word);
    switch (type) {
    case OBJECT_SHARED_SEMAPHORE:
        return value;
    case OBJECT_SHARED_MUTEX:
        return !value;
    default:
        return value & 1;
    }
}

/* The proxy is locked to be signalled. Adds the waits that it decides to the chain. True: threads
 * of this process still wait for the proxy. */
bool proxy_look(struct proxy *proxy, struct wait **chain);

#endif
