/* SPDX-License-Identifier: MIT
 *
 * silent_trace.h - a double for a unit that must not write to the trace while nobody listens.
 */
#ifndef UMSSHIM_TESTS_UNIT_SILENT_TRACE_H
#define UMSSHIM_TESTS_UNIT_SILENT_TRACE_H

#include "gtest_c.h"

void trace_record(struct plat_context *on, enum trace_kind kind, const struct plat_context *who,
                  uint64_t value, uint32_t extra, uint32_t more)
{
    FAIL("nobody listens");
}

#endif
