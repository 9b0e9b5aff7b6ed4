/* SPDX-License-Identifier: MIT
 *
 * unlinked.c - in linked.c's place, in a program that names no UMS library to the linker: a single
 * file that runs where there is none.
 */
#include "calls.h"

bool calls_from_linker(struct calls *table)
{
    (void)table;
    return false;
}
