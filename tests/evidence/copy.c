/* SPDX-License-Identifier: MIT
 *
 * copy.c - the part about umsrun --link: a copy of an old program that loads umsshim.dll by itself
 * runs; and what comes back of it is the program.
 */
#include "evidence.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT_MS = 20000 };

static DWORD run_line(const char *line)
{
    char output[2 * MAX_PATH];
    DWORD code = 1;
    enum ending ending;
    char *text;

    snprintf(output, sizeof output, "%s\\copy-%lu.txt", evidence.scratch, GetCurrentProcessId());
    ending = run_program(line, output, LIMIT_MS, &code);
    text = read_text(output);
    printf("%s%s", text ? text : "", ending == OVER_LIMIT ? "it hangs\n" : "");
    free(text);
    DeleteFileA(output);
    return ending == ENDED ? code : 1;
}

static bool are_same(const char *path, const char *other)
{
    HANDLE files[2];
    char bytes[2][4096];
    DWORD got[2] = {1, 1};
    bool same = true;

    for (int i = 0; i < 2; i++)
        files[i] = CreateFileA(i ? other : path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING,
                               0, NULL);
    while (same && got[0]) {
        for (int i = 0; i < 2; i++)
            same &= ReadFile(files[i], bytes[i], sizeof bytes[i], &got[i], NULL);
        same = same && got[0] == got[1] && memcmp(bytes[0], bytes[1], got[0]) == 0;
    }
    CloseHandle(files[0]);
    CloseHandle(files[1]);
    return same;
}

int part_copy(void)
{
    char line[6 * MAX_PATH], old[2 * MAX_PATH], copy[2 * MAX_PATH], back[2 * MAX_PATH],
        dll[2][2 * MAX_PATH];
    bool beside = strcmp(evidence.folder, evidence.scratch) != 0;
    DWORD code;
    bool ok;

    snprintf(old, sizeof old, "%s\\imports.exe", evidence.folder);
    snprintf(copy, sizeof copy, "%s\\copy.exe", evidence.scratch);
    snprintf(back, sizeof back, "%s\\back.exe", evidence.scratch);
    snprintf(dll[0], sizeof dll[0], "%s\\umsshim.dll", evidence.folder);
    snprintf(dll[1], sizeof dll[1], "%s\\umsshim.dll", evidence.scratch);
    if (beside && !CopyFileA(dll[0], dll[1], FALSE))
        return PART_FAILED;
    snprintf(line, sizeof line, "\"%s\\umsrun.exe\" --link \"%s\" \"%s\"", evidence.folder, old,
             copy);
    code = run_line(line);
    snprintf(line, sizeof line, "\"%s\"", copy);
    if (!code)
        code = run_line(line);
    snprintf(line, sizeof line, "\"%s\\umsrun.exe\" --unlink \"%s\" \"%s\"", evidence.folder, copy,
             back);
    ok = !code && !run_line(line) && are_same(old, back);
    printf("linked copy: %s\n", ok ? "runs, and can be undone" : "FAILED");
    DeleteFileA(copy);
    DeleteFileA(back);
    if (beside)
        DeleteFileA(dll[1]);
    return ok ? PART_PASSED : PART_FAILED;
}
