# SPDX-License-Identifier: MIT
# One set of warnings for everything built here. Warnings are errors, but for mutants.
option(UMSSHIM_WARNINGS_FAIL "Warnings are errors" ON)
set(UMSSHIM_WARNINGS -Wall -Wextra $<$<BOOL:${UMSSHIM_WARNINGS_FAIL}>:-Werror> -Wshadow -Wvla -Wundef
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>)
