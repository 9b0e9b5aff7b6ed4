/* SPDX-License-Identifier: MIT
 *
 * crt_descriptor.h - the table of descriptors' handles, which a fork may find locked.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CRT_DESCRIPTOR_H
#define UMSSHIM_WINAPI_LINUX_CRT_DESCRIPTOR_H

void descriptors_forget(void); /* in a child after fork */

#endif
