# SPDX-License-Identifier: MIT
# One set of warnings for everything built here. Warnings are errors.
set(UMSSHIM_WARNINGS -Wall -Wextra -Werror -Wshadow -Wvla -Wundef
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>)
