/* SPDX-License-Identifier: MIT
 *
 * again.c - see again.h.
 */
#include "again.h"

#include <stdio.h>
#include <stdlib.h>

#include "gtest_c.h"

enum { LIMIT_MS = 20000 };

static const char variable[] = "UMSSHIM_TEST_PART";

const char *again_part(void)
{
    const char *part = getenv(variable);

    if (part)
        SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    return part;
}

DWORD again_run(const char *test, const char *part)
{
    char program[MAX_PATH], line[MAX_PATH + 200];
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    DWORD code = AGAIN_FAILED;
    BOOL started;

    GetModuleFileNameA(NULL, program, sizeof program);
    snprintf(line, sizeof line, "\"%s\" --gtest_filter=%s", program, test);
    SetEnvironmentVariableA(variable, part);
    started = CreateProcessA(program, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process);
    SetEnvironmentVariableA(variable, NULL);
    if (!EXPECT_OK(started))
        return AGAIN_FAILED;
    if (WaitForSingleObject(process.hProcess, LIMIT_MS) != WAIT_OBJECT_0) {
        FAIL("the part %s of %s takes too long", part, test);
        TerminateProcess(process.hProcess, 1);
    } else {
        EXPECT_OK(GetExitCodeProcess(process.hProcess, &code));
    }
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
    return code;
}
