/* SPDX-License-Identifier: MIT
 *
 * protocol.h - a request and its reply: 64 bytes each way. The reply can be checked.
 */
#ifndef SERVER_PROTOCOL_H
#define SERVER_PROTOCOL_H

#include <stdint.h>

struct message {
    uint64_t id;
    uint64_t sum; /* of a reply: over id and text */
    unsigned char text[48];
};

/* A little work for each request, and a proof that this one was done. */
static inline uint64_t message_sum(const struct message *message)
{
    uint64_t sum = 0xcbf29ce484222325u ^ message->id;

    for (unsigned i = 0; i < sizeof(message->text); i++)
        sum = (sum ^ message->text[i]) * 0x100000001b3u;
    return sum;
}

#endif
