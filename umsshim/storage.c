/* SPDX-License-Identifier: MIT
 *
 * storage.c - where contexts and lists lie, and the switches that change what calls answer.
 */
#include "umsshim/core.h"

struct ums_arena ums__contexts = {
    .slot = UMS_CONTEXT_SLOT, .capacity = 1 << 18, .link = offsetof(struct ums_context, list_next)};

struct ums_arena ums__lists = {
    .slot = sizeof(struct ums_list), .capacity = 1 << 18, .link = offsetof(struct ums_list, event)};
_Static_assert(sizeof(struct ums_list) == 64, "a list is one cache line");

_Atomic bool ums__strict;
_Atomic uint32_t ums__retries;
