/* SPDX-License-Identifier: MIT
 *
 * passed_descriptor.h - one descriptor, through a socket of the local kind, to another process.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_PASSED_DESCRIPTOR_H
#define UMSSHIM_TESTS_SUPPORT_PASSED_DESCRIPTOR_H

#include <stdbool.h>

bool descriptor_send(int through, int descriptor); /* false: with errno */
int descriptor_receive(int through);               /* -1: the other side ended without one */

#endif
