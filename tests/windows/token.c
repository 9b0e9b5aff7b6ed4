/* SPDX-License-Identifier: MIT
 *
 * token.c - a worker that impersonates does so alone, until it reverts.
 *
 * The hazard: the token hangs on a kernel thread. Left there when the worker moves on, it would
 * serve the scheduler and every other worker with somebody else's rights.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all
 */
#include "gtest_c.h"
#include "moving.h"
#include "own_thread.h"

#include <stdio.h>

enum { ROUNDS = 30 };

static bool has_token(HANDLE thread)
{
    HANDLE token;

    if (OpenThreadToken(thread, TOKEN_QUERY, TRUE, &token)) {
        EXPECT_OK(CloseHandle(token));
        return true;
    }
    EXPECT_EQ(GetLastError(), ERROR_NO_TOKEN);
    return false;
}

static void schedulers_have_none(const struct activation *activation, void *arg)
{
    EXPECT_EQ(has_token(GetCurrentThread()), false);
}

/* Even workers impersonate, the others look on. */
static void impersonate_or_not(struct worker *self)
{
    bool impersonates = self->index % 2 == 0;

    EXPECT_EQ(has_token(GetCurrentThread()), false);
    for (int round = 0; round < 2; round++) {
        if (impersonates)
            ASSERT_OK(ImpersonateSelf(SecurityImpersonation));
        for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
            EXPECT_EQ(has_token(GetCurrentThread()), impersonates);
            EXPECT_EQ(has_token(self->thread), impersonates);
            step_aside(self, i);
        }
        if (impersonates)
            EXPECT_OK(RevertToSelf());
        move_on(self);
        EXPECT_EQ(has_token(GetCurrentThread()), false);
    }
}

TEST(Token, impersonation_on_one_scheduler)
{
    ASSERT_OK(run_moving(1, 4, impersonate_or_not, NULL, schedulers_have_none));
}

TEST(Token, impersonation_on_two_schedulers)
{
    ASSERT_OK(run_moving(2, 4, impersonate_or_not, NULL, schedulers_have_none));
}

static void scheduler_impersonates(const struct activation *activation, void *arg)
{
    if (!has_token(GetCurrentThread()))
        EXPECT_OK(ImpersonateSelf(SecurityImpersonation));
}

static void has_none(struct worker *self)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        if (i) /* its scheduler has one by now, and does not lend it; to ask for it would be to go home */
            EXPECT_OK(is_on_its_own_thread());
        EXPECT_EQ(has_token(GetCurrentThread()), false);
        EXPECT_EQ(has_token(self->thread), false);
        step_aside(self, i);
    }
}

TEST(Token, of_a_scheduler_is_not_its_workers)
{
    ASSERT_OK(run_moving(1, 2, has_none, NULL, scheduler_impersonates));
    EXPECT_OK(RevertToSelf());
}

/* The worker's own thread may be given a token from outside, by its handle. */
static void set_by_handle(struct worker *self)
{
    HANDLE own, token = NULL;

    ASSERT_OK(OpenProcessToken(GetCurrentProcess(), TOKEN_DUPLICATE | TOKEN_QUERY, &own));
    ASSERT_OK(DuplicateTokenEx(own, TOKEN_IMPERSONATE | TOKEN_QUERY, NULL, SecurityImpersonation,
                               TokenImpersonation, &token));
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        HANDLE thread = self->thread;

        UmsThreadYield(NULL); /* from here on it may be elsewhere */
        EXPECT_OK(SetThreadToken(i % 2 ? &thread : NULL, token));
        EXPECT_OK(is_on_its_own_thread());
        step_aside(self, i);
        EXPECT_EQ(has_token(GetCurrentThread()), true);
        EXPECT_OK(SetThreadToken(i % 2 ? NULL : &thread, NULL));
        step_aside(self, i + 1);
        EXPECT_EQ(has_token(GetCurrentThread()), false);
    }
    EXPECT_OK(CloseHandle(token));
    EXPECT_OK(CloseHandle(own));
}

TEST(Token, set_and_taken_away)
{
    ASSERT_OK(run_moving(2, 3, set_by_handle, NULL, schedulers_have_none));
}

struct gift {
    HANDLE thread, token;
    int wanted, given;
};

static DWORD WINAPI give_token(LPVOID arg)
{
    struct gift *gift = arg;

    while (!flag_get(&gift->wanted))
        SwitchToThread();
    EXPECT_OK(SetThreadToken(&gift->thread, gift->token));
    flag_set(&gift->given, 1);
    return 0;
}

/* A plain thread gives it to the worker's own thread, while the worker computes elsewhere. */
static void given_by_another(struct worker *self)
{
    HANDLE own, token = NULL;

    ASSERT_OK(OpenProcessToken(GetCurrentProcess(), TOKEN_DUPLICATE | TOKEN_QUERY, &own));
    ASSERT_OK(DuplicateTokenEx(own, TOKEN_IMPERSONATE | TOKEN_QUERY, NULL, SecurityImpersonation,
                               TokenImpersonation, &token));
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        struct gift gift = {self->thread, i % 2 ? NULL : token, 0, 0};
        HANDLE giver = CreateThread(NULL, 0, give_token, &gift, 0, NULL);

        ASSERT_OK(giver != NULL);
        UmsThreadYield(NULL); /* from here on it may be elsewhere */
        flag_set(&gift.wanted, 1);
        while (!flag_get(&gift.given))
            YieldProcessor();
        EXPECT_EQ(has_token(GetCurrentThread()), i % 2 == 0);
        EXPECT_EQ(WaitForSingleObject(giver, INFINITE), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(giver));
    }
    EXPECT_OK(CloseHandle(token));
    EXPECT_OK(CloseHandle(own));
}

TEST(Token, given_by_another_thread)
{
    ASSERT_OK(run_moving(1, 2, given_by_another, NULL, schedulers_have_none));
}

/* ---- A pipe's client ----------------------------------------------------------------------------- */

struct pipe {
    DWORD mode; /* of the server's end */
    char name[64];
};

static bool connect_pipe(struct worker *self, HANDLE *server, HANDLE *client)
{
    const struct pipe *pipe = self->arg;
    char name[96], byte = 'x';
    DWORD done;

    snprintf(name, sizeof name, "%s-%d", pipe->name, self->index);
    *server = CreateNamedPipeA(name, PIPE_ACCESS_DUPLEX | pipe->mode, 0, 1, 64, 64, 0, NULL);
    if (!EXPECT_OK(*server != INVALID_HANDLE_VALUE))
        return false;
    *client = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    /* The server may impersonate once it has read something. */
    OVERLAPPED overlapped = {.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL)};
    bool ok = EXPECT_OK(*client != INVALID_HANDLE_VALUE) &&
              EXPECT_OK(WriteFile(*client, &byte, 1, &done, NULL));
    if (ok && !ReadFile(*server, &byte, 1, &done, &overlapped)) {
        ok = EXPECT_OK(GetLastError() == ERROR_IO_PENDING) &&
             EXPECT_OK(GetOverlappedResult(*server, &overlapped, &done, TRUE));
    }
    CloseHandle(overlapped.hEvent);
    return ok;
}

static void act_as_client(struct worker *self)
{
    HANDLE server = NULL, client = NULL;

    ASSERT_OK(connect_pipe(self, &server, &client));
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        EXPECT_EQ(has_token(GetCurrentThread()), false);
        step_aside(self, i);
        ASSERT_OK(ImpersonateNamedPipeClient(server));
        for (int j = 0; j < 3; j++) {
            if (!is_on_its_own_thread())
                FAIL("the token is on its thread, the worker is elsewhere (%d steps after)", j);
            EXPECT_EQ(has_token(GetCurrentThread()), true);
            step_aside(self, i + j);
        }
        EXPECT_OK(RevertToSelf());
        move_on(self);
    }
    EXPECT_OK(CloseHandle(client));
    EXPECT_OK(CloseHandle(server));
}

static void run_servers(DWORD mode)
{
    struct pipe pipe = {.mode = mode};

    snprintf(pipe.name, sizeof pipe.name, "\\\\.\\pipe\\umsshim-token-%lu",
             (unsigned long)GetCurrentProcessId());
    ASSERT_OK(run_moving(2, 3, act_as_client, &pipe, schedulers_have_none));
}

TEST(Token, of_the_client_of_a_pipe)
{
    run_servers(0);
}

TEST(Token, of_the_client_of_an_overlapped_pipe)
{
    run_servers(FILE_FLAG_OVERLAPPED);
}

/* ---- Handles with few rights ------------------------------------------------------------------------ */

/* One that may give a token and nothing else, not even ask whose thread it is. */
static void set_by_weak_handle(struct worker *self)
{
    HANDLE own, token = NULL, weak;

    ASSERT_OK(OpenProcessToken(GetCurrentProcess(), TOKEN_DUPLICATE | TOKEN_QUERY, &own));
    ASSERT_OK(DuplicateTokenEx(own, TOKEN_IMPERSONATE | TOKEN_QUERY, NULL, SecurityImpersonation,
                               TokenImpersonation, &token));
    ASSERT_OK(DuplicateHandle(GetCurrentProcess(), self->thread, GetCurrentProcess(), &weak,
                              THREAD_SET_THREAD_TOKEN | THREAD_SET_INFORMATION, FALSE, 0));
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        UmsThreadYield(NULL);
        EXPECT_OK(SetThreadToken(&weak, token));
        for (int j = 0; j < 2; j++) {
            if (!is_on_its_own_thread())
                FAIL("the token is on its thread, the worker is elsewhere (%d steps after)", j);
            step_aside(self, i);
        }
        EXPECT_OK(SetThreadToken(NULL, NULL));
        step_aside(self, i + 1);
        EXPECT_EQ(has_token(GetCurrentThread()), false);
    }
    EXPECT_OK(CloseHandle(weak));
    EXPECT_OK(CloseHandle(token));
    EXPECT_OK(CloseHandle(own));
}

TEST(Token, set_by_a_handle_that_may_do_nothing_else)
{
    ASSERT_OK(run_moving(2, 3, set_by_weak_handle, NULL, schedulers_have_none));
}

/* What a worker leaves on at its end is not left to anybody. */
static void end_impersonating(struct worker *self)
{
    ASSERT_OK(ImpersonateSelf(SecurityImpersonation));
    step_aside(self, self->index);
    EXPECT_EQ(has_token(GetCurrentThread()), true);
}

TEST(Token, of_a_worker_that_ended)
{
    ASSERT_OK(run_moving(2, 4, end_impersonating, NULL, schedulers_have_none));
    EXPECT_EQ(has_token(GetCurrentThread()), false);
}
