/* SPDX-License-Identifier: MIT
 *
 * crt_descriptor.h - frees the table of descriptors' handles from its lock after a fork.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CRT_DESCRIPTOR_H
#define UMSSHIM_WINAPI_LINUX_CRT_DESCRIPTOR_H

void descriptors_forget(void); /* in a child after fork */

#endif
