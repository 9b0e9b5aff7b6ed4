/* SPDX-License-Identifier: MIT
 *
 * setgid_helper.c - setgid_program.c installs this program with the rights of another group. It
 * prints one word for each thing that its environment could change.
 */
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <windows.h>

int main(void)
{
    PUMS_COMPLETION_LIST list;
    char path[MAX_PATH] = "";
    BOOL works = CreateUmsCompletionList(&list);

    OutputDebugStringA("debug-text\n"); /* to stderr, if UMSSHIM_LOG is heeded */
    GetTempPathA(sizeof path, path);
    printf("%s %s %s\n", getauxval(AT_SECURE) ? "secure" : "ordinary", works ? "works" : "disabled",
           path);
    return 0;
}
