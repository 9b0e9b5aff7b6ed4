# SPDX-License-Identifier: MIT
# One set of warnings for everything built here. Warnings are errors, unless CMake is told otherwise by
# --compile-no-warning-as-error, as for mutants.
set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
set(UMSSHIM_WARNINGS -Wall -Wextra -Wshadow -Wvla -Wundef
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>)
