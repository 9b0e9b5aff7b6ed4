/* SPDX-License-Identifier: MIT
 *
 * token.c - access tokens: the user and groups of this process, and its privileges.
 *
 * A token has the ids that the process had when it was opened. A user and a group of Linux have the
 * SIDs that Samba gives them, S-1-22-1-uid and S-1-22-2-gid. No call here needs a privilege, so a
 * token has only the one that every user has on Windows, SeChangeNotifyPrivilege. There is no
 * impersonation, so no thread has a token of its own.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "winapi/linux/account.h"

struct token {
    struct object object;
    uid_t user;
    gid_t group;
    int group_count;
    gid_t *groups; /* malloc's */
};

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* The token of a handle, with a reference. NULL: ERROR_INVALID_HANDLE. */
static struct token *token_of(HANDLE handle)
{
    struct object *object = handle_object(handle);
    if (object && object->type == OBJECT_TOKEN)
        return (struct token *)object;
    if (object)
        object_drop(object);
    win__fail(ERROR_INVALID_HANDLE);
    return NULL;
}

static void destroy(struct object *object)
{
    free(((struct token *)object)->groups);
}

/* Makes a token. NULL: no memory. */
static struct token *token_create(void)
{
    int count = getgroups(0, NULL);
    gid_t *groups = calloc(count > 0 ? (size_t)count : 1, sizeof *groups);
    struct token *token = groups ? object_create(OBJECT_TOKEN, sizeof *token) : NULL;
    if (!token) {
        free(groups);
        return NULL;
    }
    token->object.destroy = destroy;
    token->object.signal = 1; /* signalled, so that a wait fails at once */
    token->user = geteuid();
    token->group = getegid();
    token->groups = groups;
    count = count > 0 ? getgroups(count, groups) : 0;
    token->group_count = count < 0 ? 0 : count; /* negative: the groups have just become more */
    return token;
}

BOOL WINAPI OpenProcessToken(HANDLE ProcessHandle, DWORD DesiredAccess, PHANDLE TokenHandle)
{
    (void)DesiredAccess;
    if (!TokenHandle)
        return win__fail(ERROR_NOACCESS);
    if (!win__this_process(ProcessHandle))
        return win__fail(ERROR_INVALID_HANDLE);
    struct token *token = token_create();
    if (!token)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    int error = handle_create(&token->object, TokenHandle);
    object_drop(&token->object);
    return win__result(error);
}

BOOL WINAPI OpenThreadToken(HANDLE ThreadHandle, DWORD DesiredAccess, BOOL OpenAsSelf,
                            PHANDLE TokenHandle)
{
    (void)DesiredAccess, (void)OpenAsSelf;
    struct plat_thread *thread = win__thread(ThreadHandle);
    if (!thread)
        return FALSE;
    object_drop(&thread->object);
    return win__fail(TokenHandle ? ERROR_NO_TOKEN : ERROR_NOACCESS);
}

/* There is no impersonation to end. */
BOOL WINAPI RevertToSelf(VOID)
{
    return TRUE;
}

static bool in_group(const struct token *token, DWORD group)
{
    for (int i = 0; i < token->group_count; i++)
        if (token->groups[i] == group)
            return true;
    return token->group == group;
}

static bool is_member(const struct token *token, const SID *sid)
{
    if (win__is_everyone(sid))
        return true;
    if (win__is_administrators(sid))
        return token->user == 0;
    if (!win__sid_is_of(sid, &win__unix_authority, 2))
        return false;
    return win__sid_part(sid, 0) == SID_OF_USER
               ? win__sid_part(sid, 1) == token->user
               : win__sid_part(sid, 0) == SID_OF_GROUP && in_group(token, win__sid_part(sid, 1));
}

BOOL WINAPI CheckTokenMembership(HANDLE TokenHandle, PSID SidToCheck, PBOOL IsMember)
{
    if (!IsMember || !IsValidSid(SidToCheck))
        return win__fail(ERROR_INVALID_PARAMETER);
    struct token *token = TokenHandle ? token_of(TokenHandle) : token_create();
    if (!token)
        return TokenHandle ? FALSE : win__fail(ERROR_NOT_ENOUGH_MEMORY);
    *IsMember = is_member(token, SidToCheck);
    object_drop(&token->object);
    return TRUE;
}

/* ---- The information in a token -------------------------------------------------------------- */

/* A result in the program's buffer, with its SIDs behind it. */
struct answer {
    char *at;
    DWORD room, size;
};

static bool fits(struct answer *answer, size_t size)
{
    answer->size = (DWORD)size;
    if (answer->room < size)
        return false;
    memset(answer->at, 0, size);
    return true;
}

/* Writes a struct that begins with a pointer to one SID. */
static void give_sid(struct answer *answer, size_t head, DWORD kind, DWORD id)
{
    if (!fits(answer, head + sizeof(struct two_part_sid)))
        return;
    struct two_part_sid *sid = (void *)(answer->at + head);
    win__make_sid(sid, kind, id);
    memcpy(answer->at, &sid, sizeof(void *));
}

static void give_groups(struct answer *answer, const struct token *token)
{
    DWORD count = (DWORD)token->group_count;
    size_t head = offsetof(TOKEN_GROUPS, Groups) + count * sizeof(SID_AND_ATTRIBUTES);
    if (!fits(answer, head + count * sizeof(struct two_part_sid)))
        return;
    TOKEN_GROUPS *groups = (void *)answer->at;
    struct two_part_sid *sids = (void *)(answer->at + head);
    groups->GroupCount = count;
    for (DWORD i = 0; i < count; i++) {
        win__make_sid(&sids[i], SID_OF_GROUP, token->groups[i]);
        groups->Groups[i].Sid = &sids[i];
        groups->Groups[i].Attributes =
            SE_GROUP_MANDATORY | SE_GROUP_ENABLED_BY_DEFAULT | SE_GROUP_ENABLED;
    }
}

static void give_privileges(struct answer *answer)
{
    if (!fits(answer, sizeof(TOKEN_PRIVILEGES)))
        return;
    TOKEN_PRIVILEGES *privileges = (void *)answer->at;
    privileges->PrivilegeCount = 1;
    privileges->Privileges[0].Luid.LowPart = CHANGE_NOTIFY;
    privileges->Privileges[0].Attributes = SE_PRIVILEGE_ENABLED_BY_DEFAULT | SE_PRIVILEGE_ENABLED;
}

static void give_number(struct answer *answer, DWORD number)
{
    if (fits(answer, sizeof number))
        memcpy(answer->at, &number, sizeof number);
}

/* 0, or a Win32 error. */
static DWORD give(struct answer *answer, const struct token *token, TOKEN_INFORMATION_CLASS class)
{
    switch (class) {
    case TokenUser:
        give_sid(answer, sizeof(TOKEN_USER), SID_OF_USER, token->user);
        break;
    case TokenOwner:
        give_sid(answer, sizeof(TOKEN_OWNER), SID_OF_USER, token->user);
        break;
    case TokenPrimaryGroup:
        give_sid(answer, sizeof(TOKEN_PRIMARY_GROUP), SID_OF_GROUP, token->group);
        break;
    case TokenGroups:
        give_groups(answer, token);
        break;
    case TokenPrivileges:
        give_privileges(answer);
        break;
    case TokenType:
        give_number(answer, TokenPrimary);
        break;
    case TokenSessionId:
        give_number(answer, 0);
        break;
    case TokenElevation:
        give_number(answer, token->user == 0);
        break;
    case TokenElevationType:
        give_number(answer, TokenElevationTypeDefault);
        break;
    default:
        return ERROR_INVALID_PARAMETER;
    }
    return answer->room < answer->size ? ERROR_INSUFFICIENT_BUFFER : ERROR_SUCCESS;
}

BOOL WINAPI GetTokenInformation(HANDLE TokenHandle, TOKEN_INFORMATION_CLASS TokenInformationClass,
                                LPVOID TokenInformation, DWORD TokenInformationLength,
                                PDWORD ReturnLength)
{
    struct token *token = token_of(TokenHandle);
    if (!token)
        return FALSE;
    struct answer answer = {TokenInformation, TokenInformation ? TokenInformationLength : 0, 0};
    DWORD error = ReturnLength ? give(&answer, token, TokenInformationClass) : ERROR_NOACCESS;
    object_drop(&token->object);
    if (ReturnLength)
        *ReturnLength = answer.size;
    return win__result((int)error);
}

/* ---- Privileges ------------------------------------------------------------------------------ */

/* Privileges that the caller lacks are not assigned: the call succeeds, with a last error. */
BOOL WINAPI AdjustTokenPrivileges(HANDLE TokenHandle, BOOL DisableAllPrivileges,
                                  PTOKEN_PRIVILEGES NewState, DWORD BufferLength,
                                  PTOKEN_PRIVILEGES PreviousState, PDWORD ReturnLength)
{
    struct token *token = token_of(TokenHandle);
    if (!token)
        return FALSE;
    object_drop(&token->object);
    if ((!DisableAllPrivileges && !NewState) || (PreviousState && !ReturnLength))
        return win__fail(ERROR_INVALID_PARAMETER);
    if (PreviousState) { /* no call ever changes a privilege */
        *ReturnLength = offsetof(TOKEN_PRIVILEGES, Privileges);
        if (BufferLength < *ReturnLength)
            return win__fail(ERROR_INSUFFICIENT_BUFFER);
        PreviousState->PrivilegeCount = 0;
    }
    bool all = true;
    for (DWORD i = 0; !DisableAllPrivileges && i < NewState->PrivilegeCount; i++) {
        const LUID *luid = &NewState->Privileges[i].Luid;
        all &= luid->LowPart == CHANGE_NOTIFY && !luid->HighPart;
    }
    plat_set_last_error(all ? ERROR_SUCCESS : ERROR_NOT_ALL_ASSIGNED);
    return TRUE;
}
