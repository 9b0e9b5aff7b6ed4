/* SPDX-License-Identifier: MIT
 *
 * opened_module.c - a library that has the program do something while it is opened.
 */
void while_opened(void);

static __attribute__((constructor)) void run(void)
{
    while_opened();
}
