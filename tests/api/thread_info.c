/* SPDX-License-Identifier: MIT
 *
 * thread_info.c - QueryUmsThreadInformation and SetUmsThreadInformation (QI-*, SI-*).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <stdlib.h>
#include <string.h>

static PUMS_CONTEXT make_context(void)
{
    PUMS_CONTEXT context = NULL;

    EXPECT_OK(CreateUmsThreadContext(&context));
    return context;
}

TEST(ThreadInfo, sizes_that_fit_QI_1_QI_2_QI_6)
{
    static const struct {
        UMS_THREAD_INFO_CLASS class;
        ULONG size;
    } readable[] = {{UmsThreadUserContext, 8},
                    {UmsThreadTeb, 8},
                    {UmsThreadIsSuspended, 1},
                    {UmsThreadIsTerminated, 1}};
    PUMS_CONTEXT context = make_context();

    for (int i = 0; i < 4; i++) {
        unsigned char buffer[16];
        ULONG length = 99;

        memset(buffer, 0xa5, sizeof buffer);
        EXPECT_OK(QueryUmsThreadInformation(context, readable[i].class, buffer, readable[i].size,
                                            &length));
        EXPECT_EQ(length, readable[i].size);
        EXPECT_EQ(buffer[readable[i].size], 0xa5); /* nothing written beyond */
        EXPECT_OK(
            QueryUmsThreadInformation(context, readable[i].class, buffer, readable[i].size, NULL));
    }
    EXPECT_OK(DeleteUmsThreadContext(context));
}

TEST(ThreadInfo, any_other_size_fails_QI_3_QI_4_QI_6)
{
    PUMS_CONTEXT context = make_context();
    unsigned char buffer[16] = {0};

    for (int class = UmsThreadUserContext; class <= UmsThreadIsTerminated; class ++) {
        ULONG right = class >= UmsThreadIsSuspended ? 1 : 8;

        if (class == UmsThreadPriority || class == UmsThreadAffinity)
            continue;
        for (ULONG size = 0; size <= 16; size++) {
            ULONG length = 99;

            if (size == right)
                continue;
            EXPECT_FAILS(QueryUmsThreadInformation(context, (UMS_THREAD_INFO_CLASS) class, buffer,
                                                   size, &length),
                         ERROR_BAD_LENGTH);
            EXPECT_EQ(length, 0);
        }
    }
    EXPECT_OK(DeleteUmsThreadContext(context));
}

TEST(ThreadInfo, reserved_classes_QI_1_QI_5)
{
    static const int reserved[] = {UmsThreadInvalidInfoClass,
                                   UmsThreadPriority,
                                   UmsThreadAffinity,
                                   UmsThreadMaxInfoClass,
                                   8,
                                   1000,
                                   -1};
    PUMS_CONTEXT context = make_context();
    unsigned char buffer[16] = {0};

    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        UMS_THREAD_INFO_CLASS class = (UMS_THREAD_INFO_CLASS)reserved[i];
        ULONG length = 99;

        EXPECT_FAILS(QueryUmsThreadInformation(context, class, buffer, 8, &length),
                     ERROR_NOT_SUPPORTED);
        EXPECT_EQ(length, 0);
        /* The class is tested before the length. */
        EXPECT_FAILS(QueryUmsThreadInformation(context, class, buffer, 3, NULL),
                     ERROR_NOT_SUPPORTED);
        EXPECT_FAILS(SetUmsThreadInformation(context, class, buffer, 8), ERROR_NOT_SUPPORTED);
        EXPECT_FAILS(SetUmsThreadInformation(context, class, buffer, 3), ERROR_NOT_SUPPORTED);
    }
    EXPECT_OK(DeleteUmsThreadContext(context));
}

TEST(ThreadInfo, only_the_user_context_can_be_set_SI_1)
{
    PUMS_CONTEXT context = make_context();
    PVOID value = &context;
    BOOLEAN flag = 1;

    EXPECT_OK(SetUmsThreadInformation(context, UmsThreadUserContext, &value, sizeof value));
    EXPECT_FAILS(SetUmsThreadInformation(context, UmsThreadTeb, &value, sizeof value),
                 ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(SetUmsThreadInformation(context, UmsThreadIsSuspended, &flag, sizeof flag),
                 ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(SetUmsThreadInformation(context, UmsThreadIsTerminated, &flag, sizeof flag),
                 ERROR_NOT_SUPPORTED);
    EXPECT_EQ(is_suspended(context), false);
    EXPECT_OK(DeleteUmsThreadContext(context));
}

TEST(ThreadInfo, user_context_reads_back_SI_1)
{
    static PVOID const values[] = {(PVOID)1, (PVOID)~0ull, NULL, (PVOID)0x123456789abcdefull};
    PUMS_CONTEXT context = make_context();

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        PVOID value = values[i];
        PVOID back = &value;

        EXPECT_OK(SetUmsThreadInformation(context, UmsThreadUserContext, &value, sizeof value));
        EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadUserContext, &back, 8, NULL));
        EXPECT_EQ(back, values[i]);
    }
    EXPECT_OK(DeleteUmsThreadContext(context));
}

TEST(ThreadInfo, set_with_a_wrong_size_QI_3)
{
    PUMS_CONTEXT context = make_context();
    PVOID value[2] = {NULL, NULL};

    for (ULONG size = 0; size <= 16; size++) {
        if (size != 8) {
            EXPECT_FAILS(SetUmsThreadInformation(context, UmsThreadUserContext, value, size),
                         ERROR_BAD_LENGTH);
        }
    }
    EXPECT_OK(DeleteUmsThreadContext(context));
}

TEST(ThreadInfo, null_QI_8)
{
    PUMS_CONTEXT context = make_context();
    PVOID value = NULL;

    EXPECT_FAILS(QueryUmsThreadInformation(NULL, UmsThreadUserContext, &value, 8, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(QueryUmsThreadInformation(context, UmsThreadUserContext, NULL, 8, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetUmsThreadInformation(NULL, UmsThreadUserContext, &value, 8),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetUmsThreadInformation(context, UmsThreadUserContext, NULL, 8),
                 ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsThreadContext(context));
}

TEST(ThreadInfo, what_is_no_context)
{
    static char nothing[256];
    char *on_heap = calloc(1, 256);
    PUMS_CONTEXT freed = make_context();
    PVOID value = NULL;
    PVOID wrong[4];

    EXPECT_OK(DeleteUmsThreadContext(freed));
    wrong[0] = (PVOID)1;
    wrong[1] = nothing;
    wrong[2] = on_heap;
    wrong[3] = freed;
    for (int i = 0; i < 4; i++) {
        EXPECT_FAILS(QueryUmsThreadInformation(wrong[i], UmsThreadUserContext, &value, 8, NULL),
                     ERROR_INVALID_PARAMETER);
        EXPECT_FAILS(SetUmsThreadInformation(wrong[i], UmsThreadUserContext, &value, 8),
                     ERROR_INVALID_PARAMETER);
    }
    free(on_heap);
}

/* QI-7: every state of the target. The worker looks at itself, its neighbour at the blocked one. */
static PUMS_CONTEXT blocked_one;
static HANDLE wake;

static PVOID teb_of(PUMS_CONTEXT context)
{
    PVOID teb = NULL;

    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadTeb, &teb, sizeof teb, NULL));
    return teb;
}

static void wait_here(struct worker *self)
{
    blocked_one = self->context;
    EXPECT_EQ(is_terminated(self->context), false);
    EXPECT_EQ(WaitForSingleObject(wake, 5000), WAIT_OBJECT_0);
}

static void look_at_blocked(struct worker *self)
{
    PVOID value = self;
    PVOID back = NULL;

    EXPECT_NE(blocked_one, NULL);
    EXPECT_EQ(is_terminated(blocked_one), false);
    EXPECT_EQ(is_suspended(blocked_one), false);
    EXPECT_NE(teb_of(blocked_one), NULL);
    EXPECT_NE(teb_of(blocked_one), teb_of(self->context)); /* QI-10 */
    EXPECT_OK(QueryUmsThreadInformation(blocked_one, UmsThreadUserContext, &back, 8, NULL));
    EXPECT_NE(back, NULL);
    EXPECT_OK(SetUmsThreadInformation(self->context, UmsThreadUserContext, &value, 8));
    EXPECT_OK(SetEvent(wake));
}

TEST(ThreadInfo, every_state_of_the_target_QI_7)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    PVOID teb;

    ASSERT_NE(fleet, NULL);
    blocked_one = NULL;
    wake = CreateEventA(NULL, FALSE, FALSE, NULL);
    fleet_add(fleet, wait_here, NULL);
    fleet_add(fleet, look_at_blocked, NULL);
    teb = teb_of(fleet_worker(fleet, 0)->context);
    EXPECT_NE(teb, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(is_terminated(fleet_worker(fleet, 0)->context), true);
    EXPECT_EQ(is_suspended(fleet_worker(fleet, 0)->context), false);
    fleet_destroy(fleet);
    EXPECT_OK(CloseHandle(wake));
}
