/* SPDX-License-Identifier: MIT
 *
 * peers_threads.h - how the peers that are kernel threads start them: all with the same stacks.
 */
#ifndef UMSSHIM_TESTS_BENCH_PEERS_THREADS_H
#define UMSSHIM_TESTS_BENCH_PEERS_THREADS_H

#include <pthread.h>

/* 0, or the error that pthread_create gave. */
int try_start_thread(pthread_t *thread, void *(*main_function)(void *), void *arg);

/* Ends the probe on failure. */
pthread_t start_thread(void *(*main_function)(void *), void *arg);

#endif
