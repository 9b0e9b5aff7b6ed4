/* SPDX-License-Identifier: MIT
 *
 * originals.c - see originals.h.
 */
#include "platform/windows/os/originals.h"

void *call_originals[CALL_COUNT];
struct wait_originals wait_originals;
