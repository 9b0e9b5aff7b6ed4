/* SPDX-License-Identifier: MIT
 *
 * hazards.c - the part that runs the hazard tests, which are one program here: each test in a process of its
 * own, under a limit.
 */
#include "evidence.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TESTS = 512, TEST_LIMIT_MS = 35000, BRIEF_MS = 4000, TEXT_LINES = 12 };

static char *tests[MOST_TESTS];
static int test_count;

/* GoogleTest's list: a suite's line, with the tests below it indented. */
static void read_list(char *text)
{
    char suite[128] = "", name[256];

    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        size_t length = strcspn(line, " ");

        if (line[0] != ' ' && length && line[length - 1] == '.') {
            snprintf(suite, sizeof suite, "%.*s", (int)length, line);
        } else if (line[0] == ' ' && suite[0] && test_count < MOST_TESTS) {
            snprintf(name, sizeof name, "%s%.*s", suite, (int)strcspn(line + 2, " "), line + 2);
            tests[test_count++] = strdup(name);
        }
    }
}

/* A failed test's first lines that say something. */
static void print_why(char *text)
{
    int lines = 0;

    for (char *line = strtok(text, "\r\n"); line && lines < TEXT_LINES; line = strtok(NULL, "\r\n"))
        if (line[0] != '[' && strncmp(line, "Note:", 5)) {
            printf("    %s\n", line);
            lines++;
        }
}

/* Whether it is of the same suite as the one before. */
static bool is_another_of_its_suite(int i)
{
    size_t length = strcspn(tests[i], ".");

    return i && strncmp(tests[i], tests[i - 1], length + 1) == 0;
}

int part_hazards(void)
{
    char line[2 * MAX_PATH], output[MAX_PATH + 64];
    unsigned passed = 0, failed = 0, skipped = 0, left = 0;
    unsigned budget_ms =
        evidence.brief && evidence.budget_ms > BRIEF_MS ? BRIEF_MS : evidence.budget_ms;
    ULONGLONG start = GetTickCount64();
    DWORD code = 0;
    char *text;

    snprintf(output, sizeof output, "%s\\hazard-%lu.txt", evidence.folder, GetCurrentProcessId());
    snprintf(line, sizeof line, "\"%s\\umsshim-hazards.exe\" --gtest_list_tests", evidence.folder);
    if (run_program(line, output, TEST_LIMIT_MS, &code) != ENDED || code) {
        printf("the hazard tests do not start: 0x%lx\n", code);
        return PART_FAILED;
    }
    text = read_text(output);
    read_list(text);
    free(text);
    for (int i = 0; i < test_count; i++) {
        ULONGLONG spent = GetTickCount64() - start;
        enum ending ending;

        if ((evidence.brief && is_another_of_its_suite(i)) || spent >= budget_ms) {
            left++;
            continue;
        }
        snprintf(line, sizeof line, "\"%s\\umsshim-hazards.exe\" --gtest_filter=%s",
                 evidence.folder, tests[i]);
        ending = run_program(line, output, TEST_LIMIT_MS, &code);
        text = read_text(output);
        if (ending == ENDED && code == 0 && text && strstr(text, "[  SKIPPED ]")) {
            printf("skipped %s\n", tests[i]);
            skipped++;
        } else if (ending == ENDED && code == 0) {
            printf("passed %s\n", tests[i]);
            passed++;
        } else {
            printf("%s %s, 0x%lx\n", ending == OVER_LIMIT ? "hung" : "FAILED", tests[i], code);
            print_why(text ? text : output);
            failed++;
        }
        fflush(stdout);
        free(text);
    }
    DeleteFileA(output);
    printf("hazard tests: %u passed, %u failed, %u skipped, %u not run (%s)\n", passed, failed,
           skipped, left, evidence.brief ? "a brief run has few" : "no time left");
    return failed || !passed ? PART_FAILED : PART_PASSED;
}
