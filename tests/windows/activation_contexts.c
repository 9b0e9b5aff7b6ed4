/* SPDX-License-Identifier: MIT
 *
 * activation_contexts.c - the activation context that a worker has put on its stack of them is in
 * force for it, and for nobody else.
 *
 * The hazard: that stack hangs on the thread's block; swapped for another worker's, activations
 * would be popped by somebody else, which the system punishes with an exception.
 */
#include "gtest_c.h"
#include "moving.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 30, WORKERS = 4 };

static char manifest[MAX_PATH];

static bool write_manifest(void)
{
    static const char text[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        "<assembly xmlns=\"urn:schemas-microsoft-com:asm.v1\" manifestVersion=\"1.0\">\n"
        "<assemblyIdentity type=\"win32\" name=\"umsshim.test\" version=\"1.0.0.0\"/>\n"
        "</assembly>\n";
    char folder[MAX_PATH];
    FILE *file;
    bool written;

    if (!TC_OK(GetTempPathA(sizeof folder, folder)) ||
        !TC_OK(GetTempFileNameA(folder, "ums", 0, manifest))) {
        return false;
    }
    file = fopen(manifest, "wb");
    written = file && fwrite(text, sizeof text - 1, 1, file) == 1;
    return file && fclose(file) == 0 && TC_OK(written);
}

static HANDLE in_force(void)
{
    HANDLE context = INVALID_HANDLE_VALUE;

    EXPECT_OK(GetCurrentActCtx(&context));
    if (context) {
        ReleaseActCtx(context);
    }
    return context;
}

/* Worker 0 activates nothing. */
static void activate(struct worker *self)
{
    ACTCTXA wanted = {.cbSize = sizeof wanted, .lpSource = manifest};
    HANDLE mine[2] = {NULL, NULL};
    ULONG_PTR cookies[2];

    for (int i = 0; i < 2 && self->index; i++) {
        mine[i] = CreateActCtxA(&wanted);
        ASSERT_NE(mine[i], INVALID_HANDLE_VALUE);
    }
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        EXPECT_EQ(in_force(), NULL);
        step_aside(self, i);
        for (int j = 0; j < 2 && self->index; j++) {
            ASSERT_OK(ActivateActCtx(mine[j], &cookies[j]));
            step_aside(self, i + j);
            EXPECT_EQ(in_force(), mine[j]);
        }
        for (int j = 1; j >= 0 && self->index; j--) {
            EXPECT_EQ(in_force(), mine[j]);
            ASSERT_OK(DeactivateActCtx(0, cookies[j]));
            step_aside(self, i + j);
        }
    }
    for (int i = 0; i < 2 && self->index; i++) {
        ReleaseActCtx(mine[i]);
    }
}

static void schedulers_have_none(const struct activation *activation, void *arg)
{
    (void)activation;
    (void)arg;
    EXPECT_EQ(in_force(), NULL);
}

static void run(int schedulers)
{
    ASSERT_OK(write_manifest());
    EXPECT_OK(run_moving(schedulers, WORKERS, activate, NULL, schedulers_have_none));
    EXPECT_OK(DeleteFileA(manifest));
}

TEST(ActivationContexts, on_one_scheduler)
{
    run(1);
}

TEST(ActivationContexts, on_two_schedulers)
{
    run(2);
}
