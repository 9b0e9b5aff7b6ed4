/* SPDX-License-Identifier: MIT
 *
 * random_programs.c - random programs over the whole UMS API, each step against a model
 * (program.h). Each program has a seed, the first one UMSSHIM_TEST_SEED. Without that and
 * UMSSHIM_STRESS_SECONDS the programs are the same each time: the suite is no place to look for
 * new ones. UMSSHIM_TEST_PROGRAM names a file of steps that is run instead, over and over.
 * UMSSHIM_TEST_NOTE names a file that gets each program's seed before it runs: what a crash or a
 * hang leaves.
 */
#include "gtest_c.h"
#include "program.h"
#include "program_model.h"
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 200, FIRST_SEED = 1 };

static struct step steps[STEPS_MAX];
static int count;

void model_say_program(void)
{
    char text[80];

    tc_note("the program's steps, for shrink.py:");
    for (int i = 0; i < count; i++) {
        program_print(&steps[i], text, sizeof text);
        tc_note("step: %s", text);
    }
}

static void read_program(const char *name)
{
    char line[80];
    FILE *file = fopen(name, "r");

    ASSERT_OK(file != NULL);
    while (count < STEPS_MAX && fgets(line, sizeof line, file))
        count += program_parse(line, &steps[count]);
    fclose(file);
    EXPECT_THAT(count > 0, "no steps in %s", name);
}

static void note_seed(unsigned seed)
{
    static FILE *file;
    const char *name = getenv("UMSSHIM_TEST_NOTE");

    if (!file && name)
        file = fopen(name, "w");
    if (!file)
        return;
    rewind(file);
    fprintf(file, "%u          \n", seed);
    fflush(file);
}

TEST(RandomPrograms, against_the_model)
{
    const char *text = getenv("UMSSHIM_STRESS_SECONDS"), *name = getenv("UMSSHIM_TEST_PROGRAM");
    ULONGLONG deadline = GetTickCount64() + (text ? (ULONGLONG)atoi(text) * 1000 : 1000);
    unsigned seed = name || text || getenv("UMSSHIM_TEST_SEED") ? tc_seed() : FIRST_SEED;
    int programs = 0, at = 0;

    if (name)
        read_program(name);
    do {
        if (!name) {
            count = STEPS;
            program_draw(steps, count, seed);
            note_seed(seed);
        }
        if (!program_run(steps, count, &at)) {
            tc_note("program %d, seed %u, failed at step %d", programs, seed, at);
            model_say_program();
        }
        programs++;
        seed++;
    } while (!tc_failures() && GetTickCount64() < deadline);
    tc_note("%d programs", programs);
    tally_say();
}
