# SPDX-License-Identifier: MIT
# One set of warnings for everything built here. They are errors for developers, whose presets say so: a
# user's compiler may be newer, and warn of more.
option(UMSSHIM_WARNINGS_FAIL "Warnings are errors" OFF)
set(UMSSHIM_WARNINGS -Wall -Wextra $<$<BOOL:${UMSSHIM_WARNINGS_FAIL}>:-Werror> -Wshadow -Wvla -Wundef
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>)
