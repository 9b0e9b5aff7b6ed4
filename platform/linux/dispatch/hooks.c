/* SPDX-License-Identifier: MIT
 *
 * hooks.c - see hooks.h.
 */
#include "platform/linux/dispatch/hooks.h"

struct dispatch_hooks dispatch_hooks;
