#!/bin/sh
# SPDX-License-Identifier: MIT
# tour.sh COMMAND...: judges a run of the tour in a sandbox.
#
# The tour's own verdict counts. Three of its checks are about time (which worker ran during a wait, how long all took,
# how often a call that took long was seen to wait), and fail where others take the processor for long enough.
# Where only those fail, the run has to show what no load takes away: everybody ended as it should, every block
# had its one arrival, and workers did block.
said=$("$@") # what goes to stderr is the test's
status=$?
printf '%s\n' "$said"
[ "$status" = 1 ] || exit "$status"
printf '%s\n' "$said" | awk '
    # worker executions yields blocks arrivals
    $1 ~ /^(reader|sleeper|holder|contender)$/ && NF > 6 { blocks += $4; rows++; uneven += $2 != $3 + $4 || $4 != $5 }
    /^  FAILS  (others ran in each|what would take)/ { next }
    /^  FAILS  (reader|sleeper|holder|contender): / && / exit code 10[0-3]$/ { next }
    /^  FAILS  / { bad++ }
    /^verdict: FAILED/ { verdict++ }
    END {
        well = !bad && verdict && rows == 4 && !uneven && blocks >= 4 + 2
        print (well ? "others had the processor: what does not depend on time holds" : "not only time is wrong")
        exit !well
    }'
