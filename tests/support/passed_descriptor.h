/* SPDX-License-Identifier: MIT
 *
 * passed_descriptor.h - passes one descriptor to another process, through a local socket.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_PASSED_DESCRIPTOR_H
#define UMSSHIM_TESTS_SUPPORT_PASSED_DESCRIPTOR_H

#include <stdbool.h>

bool descriptor_send(int through, int descriptor); /* false: with errno */
int descriptor_receive(int through);               /* -1: the other side ended without a
                                                    * descriptor */

#endif
