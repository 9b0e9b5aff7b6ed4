/* SPDX-License-Identifier: MIT
 *
 * only_program.c - runs a program in this process, and hears and grants what an allocator does.
 */
#include "only_program.h"

enum { HEAR_MS = 5 };

struct ft_statistics only_counts;
DWORD_PTR one, other;

static struct exchange *exchange;
static int program;
static uint64_t heard; /* the number of its last hint */
static HANDLE run;
static DWORD run_error;
static struct ft_options options;
static void (*first_body)(void *);

int hear_wish(void)
{
    struct channel_hint hint;

    if (exchange_wait(exchange, HEAR_MS, &program, &hint) != CHANNEL_HINT || hint.number < heard)
        return -1;
    heard = hint.number;
    return (int)hint.wanted;
}

int next_wish(int known)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (GetTickCount64() < until) {
        int wish = hear_wish();

        if (wish >= 0 && wish != known)
            return wish;
    }
    return -1;
}

void grant(DWORD_PTR processors)
{
    struct channel_grant message = {.processors = processors};

    exchange_grant(exchange, program, &message);
}

static DWORD WINAPI run_main(LPVOID param)
{
    UNREFERENCED_PARAMETER(param);
    run_error = ft_run(&options, first_body, NULL, &only_counts);
    return 0;
}

BOOL start_only_program(enum ft_ground ground, void (*first)(void *))
{
    DWORD_PTR machine = ft_machine();

    one = machine & -machine;
    other = (machine ^ one) & -(machine ^ one);
    if (!other)
        return FALSE;
    name_allocator("only");
    exchange = exchange_open(allocator_name);
    EXPECT_THAT(exchange, "cannot listen");
    heard = 0;
    options = (struct ft_options){
        .ground = ground, .processors = PROCESSORS, .allocator = allocator_name};
    first_body = first;
    run = CreateThread(NULL, 0, run_main, NULL, 0, NULL);
    EXPECT_OK(run);
    return TRUE;
}

void end_allocating(void)
{
    exchange_close(exchange);
    exchange = NULL;
}

void end_only_program(void)
{
    EXPECT_EQ(WaitForSingleObject(run, LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(run);
    if (exchange)
        end_allocating();
    EXPECT_EQ(run_error, 0);
    EXPECT_EQ(ft_machine() & (one | other), one | other);
}
