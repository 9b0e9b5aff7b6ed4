/* SPDX-License-Identifier: MIT
 *
 * win32_tokens.c - a server's questions to its token: its user, whether that is an administrator,
 * its privileges.
 *
 * modes: default
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "gtest_c.h"
#include "kinds.h"

#include <sddl.h>
#include <string.h>

static HANDLE open_token(void)
{
    HANDLE token = NULL;

    EXPECT_OK(OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY | TOKEN_ADJUST_PRIVILEGES, &token));
    return token;
}

/* The user's SID, and its name as GetUserName has it. */
TEST_IN_EACH_KIND(Win32Tokens, the_user)
{
    DWORD64 room[32];
    TOKEN_USER *user = (TOKEN_USER *)room;
    char name[256], domain[256], own[256];
    DWORD size = 0, name_size = sizeof name, domain_size = sizeof domain, own_size = sizeof own;
    SID_NAME_USE use = SidTypeUnknown;
    BOOL member = FALSE;
    HANDLE token = open_token();

    EXPECT_FAILS(GetTokenInformation(token, TokenUser, NULL, 0, &size), ERROR_INSUFFICIENT_BUFFER);
    ASSERT_GE(sizeof room, size);
    ASSERT_OK(GetTokenInformation(token, TokenUser, room, sizeof room, &size));
    EXPECT_OK(IsValidSid(user->User.Sid));
    ASSERT_OK(GetUserNameA(own, &own_size));
    if (LookupAccountSidA(NULL, user->User.Sid, name, &name_size, domain, &domain_size, &use)) {
        EXPECT_STREQ(name, own);
        EXPECT_EQ(use, SidTypeUser);
        name_size = 1;
        EXPECT_FAILS(
            LookupAccountSidA(NULL, user->User.Sid, name, &name_size, domain, &domain_size, &use),
            ERROR_INSUFFICIENT_BUFFER);
        EXPECT_EQ(name_size, strlen(own) + 1);
    } else {
        EXPECT_EQ(GetLastError(), ERROR_NONE_MAPPED); /* the machine has no name for it */
    }
    EXPECT_OK(CheckTokenMembership(NULL, user->User.Sid, &member));
    EXPECT_EQ(member, TRUE);
    EXPECT_OK(CloseHandle(token));
}

TEST_IN_EACH_KIND(Win32Tokens, is_it_an_administrator)
{
    SID_IDENTIFIER_AUTHORITY nt = {SECURITY_NT_AUTHORITY};
    SID_IDENTIFIER_AUTHORITY world = {SECURITY_WORLD_SID_AUTHORITY};
    PSID administrators = NULL, everyone = NULL;
    TOKEN_ELEVATION elevation = {7};
    BOOL member = 7;
    DWORD size = 0;
    HANDLE token = open_token();

    ASSERT_OK(AllocateAndInitializeSid(&nt, 2, SECURITY_BUILTIN_DOMAIN_RID, DOMAIN_ALIAS_RID_ADMINS,
                                       0, 0, 0, 0, 0, 0, &administrators));
    ASSERT_OK(
        AllocateAndInitializeSid(&world, 1, SECURITY_WORLD_RID, 0, 0, 0, 0, 0, 0, 0, &everyone));
    ASSERT_OK(GetTokenInformation(token, TokenElevation, &elevation, sizeof elevation, &size));
    EXPECT_EQ(size, sizeof elevation);
    EXPECT_OK(CheckTokenMembership(NULL, administrators, &member));
    EXPECT_EQ(member, (BOOL)elevation.TokenIsElevated);
    EXPECT_OK(CheckTokenMembership(NULL, everyone, &member));
    EXPECT_EQ(member, TRUE);
    EXPECT_OK(IsWellKnownSid(everyone, WinWorldSid));
    EXPECT_EQ(IsWellKnownSid(everyone, WinBuiltinAdministratorsSid), FALSE);
    EXPECT_EQ(FreeSid(administrators), NULL);
    EXPECT_EQ(FreeSid(everyone), NULL);
    EXPECT_OK(CloseHandle(token));
}

TEST_IN_EACH_KIND(Win32Tokens, privileges)
{
    TOKEN_PRIVILEGES wanted = {.PrivilegeCount = 1};
    HANDLE token = open_token();

    wanted.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
    EXPECT_OK(LookupPrivilegeValueA(NULL, "SeChangeNotifyPrivilege", &wanted.Privileges[0].Luid));
    EXPECT_EQ(wanted.Privileges[0].Luid.LowPart, 23);
    SetLastError(99);
    EXPECT_OK(AdjustTokenPrivileges(token, FALSE, &wanted, 0, NULL, NULL));
    EXPECT_EQ(GetLastError(), ERROR_SUCCESS);
    EXPECT_OK(LookupPrivilegeValueW(NULL, u"SeTcbPrivilege", &wanted.Privileges[0].Luid));
    EXPECT_OK(AdjustTokenPrivileges(token, FALSE, &wanted, 0, NULL, NULL));
    EXPECT_EQ(GetLastError(), ERROR_NOT_ALL_ASSIGNED);
    EXPECT_FAILS(LookupPrivilegeValueA(NULL, "SeNoSuchPrivilege", &wanted.Privileges[0].Luid),
                 ERROR_NO_SUCH_PRIVILEGE);
    EXPECT_OK(CloseHandle(token));
}

TEST_IN_EACH_KIND(Win32Tokens, bad_arguments)
{
    HANDLE token = NULL, event = new_manual_event();
    DWORD number, size;

    EXPECT_FAILS(OpenThreadToken(GetCurrentThread(), TOKEN_QUERY, TRUE, &token), ERROR_NO_TOKEN);
    EXPECT_FAILS(OpenProcessToken(NULL, TOKEN_QUERY, &token), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetTokenInformation(event, TokenType, &number, sizeof number, &size),
                 ERROR_INVALID_HANDLE);
    EXPECT_FAILS(AdjustTokenPrivileges(event, TRUE, NULL, 0, NULL, NULL), ERROR_INVALID_HANDLE);
    token = open_token();
    EXPECT_FAILS(
        GetTokenInformation(token, (TOKEN_INFORMATION_CLASS)999, &number, sizeof number, &size),
        ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(AdjustTokenPrivileges(token, FALSE, NULL, 0, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(GetTokenInformation(token, TokenType, &number, sizeof number, &size));
    EXPECT_EQ(number, TokenPrimary);
    EXPECT_OK(RevertToSelf());
    EXPECT_OK(CloseHandle(token));
    EXPECT_OK(CloseHandle(event));
}

TEST_IN_EACH_KIND(Win32Tokens, sids_as_texts)
{
    static const char *const whole[] = {"S-1-1-0", "S-1-22-1-4294967295",
                                        "S-1-0x123456789ABC-1-2-3-4-5-6-7-8-9-10-11-12-13-14-15"};
    static const char *const bad[] = {"",
                                      "S",
                                      "S-1",
                                      "S-1-5",
                                      "S-1-5-",
                                      "S-2-5-1",
                                      "S-1-5-18x",
                                      "S-1-5--1",
                                      "S-1-5-4294967296",
                                      "S-1-0x1000000000000-1",
                                      "S-1-5-1-2-3-4-5-6-7-8-9-10-11-12-13-14-15-16",
                                      "XX"};
    DWORD64 broken[8] = {0};
    PSID sid = NULL, other = NULL;
    WCHAR *wide = NULL;
    char *text = NULL;

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        ASSERT_OK(ConvertStringSidToSidA(whole[i], &sid));
        EXPECT_OK(ConvertSidToStringSidA(sid, &text));
        EXPECT_STREQ(text, whole[i]);
        EXPECT_OK(ConvertSidToStringSidW(sid, &wide));
        EXPECT_OK(ConvertStringSidToSidW(wide, &other));
        EXPECT_OK(EqualSid(sid, other));
        LocalFree(sid), LocalFree(other), LocalFree(text), LocalFree(wide);
    }
    ASSERT_OK(ConvertStringSidToSidA("BA", &sid));
    EXPECT_OK(IsWellKnownSid(sid, WinBuiltinAdministratorsSid));
    LocalFree(sid);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_FAILS(ConvertStringSidToSidA(bad[i], &sid), ERROR_INVALID_SID);
    EXPECT_FAILS(ConvertStringSidToSidA(NULL, &sid), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(ConvertStringSidToSidW(u"S-1-1-0", NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(ConvertSidToStringSidA(NULL, &text), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(ConvertSidToStringSidW(broken, &wide), ERROR_INVALID_SID);
}
