/* SPDX-License-Identifier: MIT
 *
 * linked.c - the provider "linked": what the linker resolved the names to.
 */
#define CALLS_AS_LINKED
#include "calls.h"

bool calls_from_linker(struct calls *table)
{
#define TAKE(result, name, arguments) table->p_##name = name;
    UMS_CALLS(TAKE)
    CREATION_CALLS(TAKE)
#undef TAKE
    return true;
}
