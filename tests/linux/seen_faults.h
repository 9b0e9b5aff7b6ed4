/* SPDX-License-Identifier: MIT
 *
 * seen_faults.h - a worker that sees another worker sleep in a page fault, because it runs
 * meanwhile on the same scheduler.
 *
 * The other worker sets fault_since before each access, and to 0 after it, and never yields. At its
 * end it sets faults_over. The tests run alone (SERIAL): each keeps both processors busy, and the
 * address space's lock, which all threads of its process need.
 */
#ifndef UMSSHIM_TESTS_LINUX_SEEN_FAULTS_H
#define UMSSHIM_TESTS_LINUX_SEEN_FAULTS_H

#include "fleet.h"

#include <stdatomic.h>

extern atomic_bool faults_over;
extern atomic_long faults_seen;
extern atomic_long fault_since; /* when the one that goes on began, microseconds; 0: none does */
extern atomic_long soonest_seen_us; /* from the beginning of a fault to the other worker */

long now_us(void);
void see_faults(struct worker *self);

#endif
