# SPDX-License-Identifier: MIT
# The order among the library's sources, on each system: no circles but known ones, no arrow that goes up.
# The compiler's own nm, which reads objects that are not code yet (link-time optimisation), too.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
string(REGEX REPLACE "ar([^/]*)$" "nm\\1" compilers_nm "${CMAKE_C_COMPILER_AR}")
if(NOT EXISTS "${compilers_nm}")
  set(compilers_nm ${CMAKE_NM})
endif()
if(WIN32)
  set(library umsshim_dll)
  set(rules ${CMAKE_CURRENT_LIST_DIR}/circles_windows.txt)
else()
  set(library umsshim)
  set(rules ${CMAKE_CURRENT_LIST_DIR}/circles_linux.txt)
endif()
set(circles ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/circles.py)
# A checked build counts who writes which cache line, from every floor: its arrows are not the library's.
if(NOT UMSSHIM_CHECKS)
  add_test(NAME tools.circles COMMAND ${circles} check ${rules} ${PROJECT_SOURCE_DIR} ${compilers_nm}
    "$<FILTER:$<TARGET_OBJECTS:${library}>,INCLUDE,[.](o|obj)$>")
  set_tests_properties(tools.circles PROPERTIES LABELS tools TIMEOUT 180)
endif()
add_test(NAME tools.circles_found COMMAND ${circles} selftest ${CMAKE_C_COMPILER} ${compilers_nm})
set_tests_properties(tools.circles_found PROPERTIES LABELS tools TIMEOUT 180)
