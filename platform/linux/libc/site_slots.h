/* SPDX-License-Identifier: MIT
 *
 * site_slots.h - what site_slots.S and sites.c agree on. Read by the assembler, too.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_SITE_SLOTS_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_SITE_SLOTS_H

#define SITE_SLOTS 640 /* whole pages; the first hold the stubs */
#define SITE_STUB_SLOTS 3
#define SITE_NUMBERS 512 /* CALL_NUMBERS */

/* In libc's word about a thread's cancellation: it is to end. */
#define SITE_CANCELLED 8

#endif
