/* SPDX-License-Identifier: MIT
 *
 * program_text.c - draws the steps of a random program, and writes and reads them (program.h).
 */
#include "program.h"

#include <stdio.h>
#include <string.h>

static const char *const names[OPS] = {
#define PROGRAM_NAME(name) [op_##name] = #name,
    PROGRAM_OPS(PROGRAM_NAME)
#undef PROGRAM_NAME
};

/* How often each is drawn. An execution that makes no sense is passed over, and most do not. */
static const unsigned char weights[OPS] = {
    [op_create_context] = 4, [op_create_thread] = 8, [op_delete_context] = 3, [op_enter] = 4,
    [op_leave] = 2,          [op_dequeue] = 14,      [op_execute] = 24,       [op_yield] = 8,
    [op_wait] = 12,          [op_nap] = 6,           [op_work] = 5,           [op_end] = 3,
    [op_release] = 12,       [op_suspend] = 6,       [op_resume] = 8,         [op_terminate] = 2,
    [op_query] = 5,          [op_bad_call] = 4,      [op_list_event] = 2,     [op_fork] = 1,
    [op_new_list] = 1,
};

static unsigned draw(unsigned *state, unsigned limit)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 12) % limit;
}

void program_draw(struct step *steps, int count, unsigned seed)
{
    unsigned sum = 0;

    for (int i = 0; i < OPS; i++)
        sum += weights[i];
    for (int i = 0; i < count; i++) {
        unsigned left = draw(&seed, sum), op = 0;

        while (left >= weights[op])
            left -= weights[op++];
        steps[i] = (struct step){.op = (unsigned char)op,
                                 .who = (unsigned char)draw(&seed, 60),
                                 .what = (unsigned char)draw(&seed, 60),
                                 .arg = (unsigned char)draw(&seed, 240),
                                 .together = (unsigned char)(draw(&seed, 4) == 0)};
    }
}

void program_print(const struct step *step, char *text, size_t size)
{
    snprintf(text, size, "%s %u %u %u %u", names[step->op], step->who, step->what, step->arg,
             step->together);
}

bool program_parse(const char *text, struct step *step)
{
    char name[32];
    unsigned who, what, arg, together;

    if (sscanf(text, "%31s %u %u %u %u", name, &who, &what, &arg, &together) != 5)
        return false;
    *step = (struct step){.who = (unsigned char)who,
                          .what = (unsigned char)what,
                          .arg = (unsigned char)arg,
                          .together = (unsigned char)together};
    for (int i = 0; i < OPS; i++) {
        step->op = (unsigned char)i;
        if (!strcmp(names[i], name))
            return true;
    }
    return false;
}
