/* SPDX-License-Identifier: MIT
 *
 * win32_security.c - SIDs, lists of access and descriptors as data.
 *
 * modes: win32
 * except: sids
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

static PSID everyone(void)
{
    SID_IDENTIFIER_AUTHORITY world = {SECURITY_WORLD_SID_AUTHORITY};
    PSID sid = NULL;

    EXPECT_OK(AllocateAndInitializeSid(&world, 1, SECURITY_WORLD_RID, 0, 0, 0, 0, 0, 0, 0, &sid));
    return sid;
}

TEST_IN_EACH_KIND(Win32Security, sids)
{
    PSID first = everyone();
    PSID second = everyone();
    char copy[64];

    EXPECT_OK(IsValidSid(first));
    EXPECT_EQ(GetLengthSid(first), 12);
    EXPECT_EQ(GetSidLengthRequired(1), 12);
    EXPECT_EQ(*GetSidSubAuthorityCount(first), 1);
    EXPECT_EQ(*GetSidSubAuthority(first, 0), SECURITY_WORLD_RID);
    EXPECT_EQ(GetSidIdentifierAuthority(first)->Value[5], 1);
    EXPECT_OK(EqualSid(first, second));
    *GetSidSubAuthority(second, 0) = 7;
    EXPECT_EQ(EqualSid(first, second), FALSE);
    EXPECT_OK(CopySid(sizeof copy, copy, first));
    EXPECT_OK(EqualSid(first, copy));
    EXPECT_FAILS(CopySid(4, copy, first), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_EQ(FreeSid(first), NULL);
    EXPECT_EQ(FreeSid(second), NULL);
}

TEST_IN_EACH_KIND(Win32Security, lists_of_access)
{
    struct {
        ACL acl;
        char room[40];
    } list;
    PSID sid = everyone();
    ACCESS_ALLOWED_ACE *entry = (ACCESS_ALLOWED_ACE *)(&list.acl + 1);

    EXPECT_FAILS(InitializeAcl(&list.acl, 4, ACL_REVISION), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_FAILS(InitializeAcl(&list.acl, sizeof list, 77), ERROR_INVALID_PARAMETER);
    ASSERT_OK(InitializeAcl(&list.acl, sizeof list, ACL_REVISION));
    EXPECT_OK(AddAccessAllowedAce(&list.acl, ACL_REVISION, GENERIC_ALL, sid));
    EXPECT_OK(AddAccessDeniedAce(&list.acl, ACL_REVISION, GENERIC_WRITE, sid));
    EXPECT_EQ(list.acl.AceCount, 2);
    EXPECT_EQ(entry->Header.AceType, ACCESS_ALLOWED_ACE_TYPE);
    EXPECT_EQ(entry->Header.AceSize, 20);
    EXPECT_EQ(entry->Mask, GENERIC_ALL);
    EXPECT_OK(EqualSid(&entry->SidStart, sid));
    EXPECT_FAILS(AddAccessAllowedAce(&list.acl, ACL_REVISION, GENERIC_ALL, sid),
                 ERROR_ALLOTTED_SPACE_EXCEEDED);
    EXPECT_EQ(FreeSid(sid), NULL);
}

/* Old servers give such a descriptor to their events and pipes: it has no list at all, so everybody
 * may use them. */
TEST_IN_EACH_KIND(Win32Security, descriptor_that_lets_everybody)
{
    SECURITY_DESCRIPTOR descriptor;
    SECURITY_ATTRIBUTES attributes = {sizeof attributes, &descriptor, FALSE};
    BOOL present = 7;
    BOOL defaulted = 7;
    PACL acl = (PACL)&descriptor;
    HANDLE event;

    EXPECT_FAILS(InitializeSecurityDescriptor(&descriptor, 2), ERROR_UNKNOWN_REVISION);
    ASSERT_OK(InitializeSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION));
    EXPECT_OK(IsValidSecurityDescriptor(&descriptor));
    EXPECT_OK(GetSecurityDescriptorDacl(&descriptor, &present, &acl, &defaulted));
    EXPECT_EQ(present, FALSE);
    ASSERT_OK(SetSecurityDescriptorDacl(&descriptor, TRUE, NULL, FALSE));
    EXPECT_OK(GetSecurityDescriptorDacl(&descriptor, &present, &acl, &defaulted));
    EXPECT_EQ(present, TRUE);
    EXPECT_EQ(acl, NULL);
    EXPECT_EQ(defaulted, FALSE);
    event = CreateEventA(&attributes, FALSE, FALSE, NULL);
    EXPECT_OK(event != NULL);
    EXPECT_OK(CloseHandle(event));
}
