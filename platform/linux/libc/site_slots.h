/* SPDX-License-Identifier: MIT
 *
 * site_slots.h - constants that site_slots.S and sites.c share. The assembler reads it, too.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_SITE_SLOTS_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_SITE_SLOTS_H

#define SITE_SLOTS 640 /* whole pages; the first hold the stubs */
#define SITE_STUB_SLOTS 3
#define SITE_NUMBERS 512 /* CALL_NUMBERS */

/* The bit in libc's word about a thread's cancellation that says: it is cancelled. */
#define SITE_CANCELLED 8

#endif
