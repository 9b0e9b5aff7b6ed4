/* SPDX-License-Identifier: MIT
 *
 * account.h - the SIDs of users and groups: S-1-22-1-uid and S-1-22-2-gid, as Samba writes them.
 */
#ifndef UMSSHIM_WINAPI_LINUX_ACCOUNT_H
#define UMSSHIM_WINAPI_LINUX_ACCOUNT_H

#include "winapi/linux/surface.h"

enum { SID_OF_USER = 1, SID_OF_GROUP = 2 };
enum { CHANGE_NOTIFY = 23 }; /* the privilege's number */

struct two_part_sid { /* S-1-x-y-z */
    SID sid;
    DWORD second;
};

extern const SID_IDENTIFIER_AUTHORITY win__unix_authority __attribute__((visibility("hidden")));

void win__make_sid(struct two_part_sid *to, DWORD kind, DWORD id);
bool win__sid_is_of(const SID *sid, const SID_IDENTIFIER_AUTHORITY *authority, unsigned parts);
DWORD win__sid_part(const SID *sid, unsigned index);
bool win__is_everyone(const SID *sid);
bool win__is_administrators(const SID *sid);

#endif
