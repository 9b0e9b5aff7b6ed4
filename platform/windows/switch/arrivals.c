/* SPDX-License-Identifier: MIT
 *
 * arrivals.c - see arrivals.h.
 */
#include "platform/windows/switch/arrivals.h"

bool arrivals_counted;
_Atomic uint32_t arrivals[ARRIVALS];
