/* SPDX-License-Identifier: MIT
 *
 * file_pattern.h - names with the wildcards of DOS, as FindFirstFile takes them.
 *
 *   *    any characters, or none
 *   ?    one character; before a dot and at the end of the name none as well
 *   *.   (before a dot, or at the end) any characters up to the last dot, if there is one
 *   .* .?  a dot before a wildcard is also the end of a name that has no more dots
 *   *.*  everything
 *
 * Upper and lower case are the same unless the caller says otherwise. Only the text counts; no file
 * is looked at.
 */
#ifndef UMSSHIM_WINAPI_LINUX_FILE_PATTERN_H
#define UMSSHIM_WINAPI_LINUX_FILE_PATTERN_H

#include <stdbool.h>

struct file_pattern;

bool win__has_wildcards(const char *name);
/* NULL: no memory. */
struct file_pattern *win__pattern(const char *text, bool case_matters);
/* False also without memory. */
bool win__matches(const struct file_pattern *pattern, const char *name);
void win__pattern_free(struct file_pattern *pattern);

#endif
