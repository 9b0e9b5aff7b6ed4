/* SPDX-License-Identifier: MIT
 *
 * security.c - security descriptors, lists of access and SIDs, as data: programs make them, read
 * them and pass them to calls, which do not enforce them.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/surface.h"

/* ---- SIDs ------------------------------------------------------------------------------------ */

DWORD WINAPI GetSidLengthRequired(UCHAR nSubAuthorityCount)
{
    return (DWORD)offsetof(SID, SubAuthority) + nSubAuthorityCount * (DWORD)sizeof(DWORD);
}

BOOL WINAPI IsValidSid(PSID pSid)
{
    const SID *sid = pSid;
    return sid && sid->Revision == SID_REVISION &&
           sid->SubAuthorityCount <= SID_MAX_SUB_AUTHORITIES;
}

DWORD WINAPI GetLengthSid(PSID pSid)
{
    return GetSidLengthRequired(((const SID *)pSid)->SubAuthorityCount);
}

BOOL WINAPI InitializeSid(PSID Sid, PSID_IDENTIFIER_AUTHORITY pIdentifierAuthority,
                          BYTE nSubAuthorityCount)
{
    SID *sid = Sid;
    if (nSubAuthorityCount > SID_MAX_SUB_AUTHORITIES)
        return win__fail(ERROR_INVALID_PARAMETER);
    sid->Revision = SID_REVISION;
    sid->SubAuthorityCount = nSubAuthorityCount;
    sid->IdentifierAuthority = *pIdentifierAuthority;
    return TRUE;
}

PDWORD WINAPI GetSidSubAuthority(PSID pSid, DWORD nSubAuthority)
{
    return &((SID *)pSid)->SubAuthority[nSubAuthority];
}

PUCHAR WINAPI GetSidSubAuthorityCount(PSID pSid)
{
    return &((SID *)pSid)->SubAuthorityCount;
}

PSID_IDENTIFIER_AUTHORITY WINAPI GetSidIdentifierAuthority(PSID pSid)
{
    return &((SID *)pSid)->IdentifierAuthority;
}

BOOL WINAPI AllocateAndInitializeSid(PSID_IDENTIFIER_AUTHORITY pIdentifierAuthority,
                                     BYTE nSubAuthorityCount, DWORD nSubAuthority0,
                                     DWORD nSubAuthority1, DWORD nSubAuthority2,
                                     DWORD nSubAuthority3, DWORD nSubAuthority4,
                                     DWORD nSubAuthority5, DWORD nSubAuthority6,
                                     DWORD nSubAuthority7, PSID *pSid)
{
    const DWORD parts[] = {nSubAuthority0, nSubAuthority1, nSubAuthority2, nSubAuthority3,
                           nSubAuthority4, nSubAuthority5, nSubAuthority6, nSubAuthority7};
    if (nSubAuthorityCount > sizeof parts / sizeof *parts)
        return win__fail(ERROR_INVALID_SID);
    SID *sid = malloc(GetSidLengthRequired(8));
    if (!sid)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    InitializeSid(sid, pIdentifierAuthority, nSubAuthorityCount);
    memcpy(sid->SubAuthority, parts, nSubAuthorityCount * sizeof *parts);
    *pSid = sid;
    return TRUE;
}

PVOID WINAPI FreeSid(PSID pSid)
{
    free(pSid);
    return NULL;
}

BOOL WINAPI EqualSid(PSID pSid1, PSID pSid2)
{
    DWORD length = GetLengthSid(pSid1);
    bool same = length == GetLengthSid(pSid2) && !memcmp(pSid1, pSid2, length);
    plat_set_last_error(ERROR_SUCCESS);
    return same;
}

BOOL WINAPI CopySid(DWORD nDestinationSidLength, PSID pDestinationSid, PSID pSourceSid)
{
    DWORD length = GetLengthSid(pSourceSid);
    if (nDestinationSidLength < length)
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    memcpy(pDestinationSid, pSourceSid, length);
    return TRUE;
}

/* ---- Lists of access ------------------------------------------------------------------------- */

BOOL WINAPI InitializeAcl(PACL pAcl, DWORD nAclLength, DWORD dwAclRevision)
{
    if (dwAclRevision < MIN_ACL_REVISION || dwAclRevision > MAX_ACL_REVISION || nAclLength > 0xFFFF)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (nAclLength < sizeof *pAcl)
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    memset(pAcl, 0, nAclLength);
    pAcl->AclRevision = (BYTE)dwAclRevision;
    pAcl->AclSize = (WORD)(nAclLength & ~3u);
    return TRUE;
}

static BOOL add_entry(PACL acl, DWORD revision, BYTE type, ACCESS_MASK mask, PSID sid)
{
    char *at = (char *)(acl + 1), *end = (char *)acl + acl->AclSize;
    if (!IsValidSid(sid))
        return win__fail(ERROR_INVALID_SID);
    if (revision < MIN_ACL_REVISION || revision > MAX_ACL_REVISION)
        return win__fail(ERROR_REVISION_MISMATCH);
    for (WORD i = 0; i < acl->AceCount; i++) {
        size_t size = end - at >= (ptrdiff_t)sizeof(ACE_HEADER) ? ((ACE_HEADER *)at)->AceSize : 0;
        if (size < sizeof(ACE_HEADER) || size > (size_t)(end - at))
            return win__fail(ERROR_INVALID_ACL);
        at += size;
    }
    size_t bytes = offsetof(ACCESS_ALLOWED_ACE, SidStart) + GetLengthSid(sid);
    if (bytes > (size_t)(end - at))
        return win__fail(ERROR_ALLOTTED_SPACE_EXCEEDED);
    ACCESS_ALLOWED_ACE *entry = (ACCESS_ALLOWED_ACE *)at;
    entry->Header = (ACE_HEADER){.AceType = type, .AceSize = (WORD)bytes};
    entry->Mask = mask;
    memcpy(&entry->SidStart, sid, GetLengthSid(sid));
    if (revision > acl->AclRevision)
        acl->AclRevision = (BYTE)revision;
    acl->AceCount++;
    return TRUE;
}

BOOL WINAPI AddAccessAllowedAce(PACL pAcl, DWORD dwAceRevision, DWORD AccessMask, PSID pSid)
{
    return add_entry(pAcl, dwAceRevision, ACCESS_ALLOWED_ACE_TYPE, AccessMask, pSid);
}

BOOL WINAPI AddAccessDeniedAce(PACL pAcl, DWORD dwAceRevision, DWORD AccessMask, PSID pSid)
{
    return add_entry(pAcl, dwAceRevision, ACCESS_DENIED_ACE_TYPE, AccessMask, pSid);
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

BOOL WINAPI InitializeSecurityDescriptor(PSECURITY_DESCRIPTOR pSecurityDescriptor, DWORD dwRevision)
{
    if (dwRevision != SECURITY_DESCRIPTOR_REVISION)
        return win__fail(ERROR_UNKNOWN_REVISION);
    *(SECURITY_DESCRIPTOR *)pSecurityDescriptor =
        (SECURITY_DESCRIPTOR){.Revision = SECURITY_DESCRIPTOR_REVISION};
    return TRUE;
}

BOOL WINAPI IsValidSecurityDescriptor(PSECURITY_DESCRIPTOR pSecurityDescriptor)
{
    const SECURITY_DESCRIPTOR *descriptor = pSecurityDescriptor;
    bool valid = descriptor && descriptor->Revision == SECURITY_DESCRIPTOR_REVISION;
    return valid ? TRUE : win__fail(ERROR_INVALID_SECURITY_DESCR);
}

BOOL WINAPI SetSecurityDescriptorDacl(PSECURITY_DESCRIPTOR pSecurityDescriptor, BOOL bDaclPresent,
                                      PACL pDacl, BOOL bDaclDefaulted)
{
    SECURITY_DESCRIPTOR *descriptor = pSecurityDescriptor;
    if (descriptor->Revision != SECURITY_DESCRIPTOR_REVISION)
        return win__fail(ERROR_UNKNOWN_REVISION);
    if (descriptor->Control & SE_SELF_RELATIVE)
        return win__fail(ERROR_INVALID_SECURITY_DESCR);
    descriptor->Control &= (WORD) ~(SE_DACL_PRESENT | SE_DACL_DEFAULTED);
    descriptor->Dacl = NULL;
    if (!bDaclPresent)
        return TRUE;
    descriptor->Control |= SE_DACL_PRESENT;
    if (bDaclDefaulted)
        descriptor->Control |= SE_DACL_DEFAULTED;
    descriptor->Dacl = pDacl;
    return TRUE;
}

BOOL WINAPI GetSecurityDescriptorDacl(PSECURITY_DESCRIPTOR pSecurityDescriptor,
                                      LPBOOL lpbDaclPresent, PACL *pDacl, LPBOOL lpbDaclDefaulted)
{
    const SECURITY_DESCRIPTOR *descriptor = pSecurityDescriptor;
    if (descriptor->Revision != SECURITY_DESCRIPTOR_REVISION)
        return win__fail(ERROR_UNKNOWN_REVISION);
    *lpbDaclPresent = (descriptor->Control & SE_DACL_PRESENT) != 0;
    if (*lpbDaclPresent) {
        *pDacl = descriptor->Dacl;
        *lpbDaclDefaulted = (descriptor->Control & SE_DACL_DEFAULTED) != 0;
    }
    return TRUE;
}
