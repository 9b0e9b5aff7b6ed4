/* SPDX-License-Identifier: MIT
 *
 * crossings.h - how often an operation that blocks crosses between program and kernel, on UMS and
 * on kernel threads.
 */
#ifndef FASTTHREADS_CROSSINGS_H
#define FASTTHREADS_CROSSINGS_H

/* Makes each kind of operation `count` times on each ground, and prints a row for each and a
 * verdict. Gives the exit status. */
int crossings_report(unsigned long count);

#endif
