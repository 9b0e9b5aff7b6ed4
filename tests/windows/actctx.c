/* SPDX-License-Identifier: MIT
 *
 * actctx.c - see actctx.h.
 */
#include "actctx.h"
#include "gtest_c.h"

#include <stdio.h>

static bool write_manifest(char *path)
{
    static const char text[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        "<assembly xmlns=\"urn:schemas-microsoft-com:asm.v1\" manifestVersion=\"1.0\">\n"
        "<assemblyIdentity type=\"win32\" name=\"umsshim.test\" version=\"1.0.0.0\"/>\n"
        "</assembly>\n";
    char folder[MAX_PATH];
    FILE *file;
    bool written;

    if (!EXPECT_OK(GetTempPathA(sizeof folder, folder)) ||
        !EXPECT_OK(GetTempFileNameA(folder, "ums", 0, path)))
        return false;
    file = fopen(path, "wb");
    written = file && fwrite(text, sizeof text - 1, 1, file) == 1;
    return file && fclose(file) == 0 && EXPECT_OK(written);
}

bool actctx_create(HANDLE *contexts, int count)
{
    char manifest[MAX_PATH];
    ACTCTXA wanted = {.cbSize = sizeof wanted, .lpSource = manifest};
    bool ok = write_manifest(manifest);

    for (int i = 0; i < count && ok; i++) {
        contexts[i] = CreateActCtxA(&wanted);
        ok = EXPECT_OK(contexts[i] != INVALID_HANDLE_VALUE);
    }
    return EXPECT_OK(DeleteFileA(manifest)) && ok;
}

void actctx_release(HANDLE *contexts, int count)
{
    for (int i = 0; i < count; i++)
        ReleaseActCtx(contexts[i]);
}

HANDLE actctx_in_force(void)
{
    HANDLE context = INVALID_HANDLE_VALUE;

    EXPECT_OK(GetCurrentActCtx(&context));
    if (context)
        ReleaseActCtx(context);
    return context;
}
