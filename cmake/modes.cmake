# SPDX-License-Identifier: MIT
# modes.cmake - the ways in which one test runs: what each is called, what it sets.
#
# A mode is one or more words, parted by spaces: "default", settings for the environment such as
# UMSSHIM_RING=0, and "umsrun" or "unlinked" (Windows: see add_ums_test). The words become the
# suffix of the names of its tests.

# Both ways in which the Windows engine switches; elsewhere there is one.
set(UMSSHIM_SWITCHES default)
if(WIN32)
  set(UMSSHIM_SWITCHES UMSSHIM_SWITCH=inplace UMSSHIM_SWITCH=pinned)
endif()

# Makes of each mode in the list two, one for each way of switching, unless it names one itself.
function(with_each_switch list)
  set(modes "")
  foreach(mode IN LISTS ${list})
    if(mode MATCHES "UMSSHIM_SWITCH=")
      list(APPEND modes "${mode}")
      continue()
    endif()
    foreach(switch IN LISTS UMSSHIM_SWITCHES)
      list(APPEND modes "${mode} ${switch}")
    endforeach()
  endforeach()
  set(${list} "${modes}" PARENT_SCOPE)
endfunction()

# The suffix of a mode's tests, "" for the default, and its settings.
function(mode_parts mode suffix settings)
  string(REPLACE " " ";" words "${mode}")
  list(REMOVE_ITEM words default)
  set(set ${words})
  list(FILTER set INCLUDE REGEX "=")
  list(TRANSFORM words REPLACE "^UMSSHIM_SWITCH=" "")
  list(TRANSFORM words REPLACE "^UMSSHIM_TEST_AS_WINDOWS=all$" "as Windows")
  list(JOIN words ", " text)
  if(words)
    set(text " (${text})")
  endif()
  set(${suffix} "${text}" PARENT_SCOPE)
  set(${settings} "${set}" PARENT_SCOPE)
endfunction()

# add_test_in_modes(<name> COMMAND <command>... [MODES <mode>...]
#                   [PROPERTIES <property> <value>...])
#
# Registers a test that is one command, once for each mode and way of switching.
function(add_test_in_modes name)
  cmake_parse_arguments(arg "" "" "COMMAND;MODES;PROPERTIES" ${ARGN})
  if(NOT arg_MODES)
    set(arg_MODES default)
  endif()
  with_each_switch(arg_MODES)
  foreach(mode IN LISTS arg_MODES)
    mode_parts("${mode}" suffix settings)
    add_test(NAME "${name}${suffix}" COMMAND ${arg_COMMAND})
    set_tests_properties("${name}${suffix}" PROPERTIES ENVIRONMENT "${settings}" ${arg_PROPERTIES})
  endforeach()
endfunction()

option(UMSSHIM_TEST_WHOLE "A test program is one test in each mode, and its tests run in one process" OFF)

# discover_tests(<target> <prefix> [APART] MODES <mode>... [EXCEPT <test>...]
#                [PROPERTIES <property> <value>...])
#
# Registers the tests of a GoogleTest program, once for each mode. They are found when ctest starts,
# not while building: a broken library must not break the build. The program is asked once, however
# many modes there are: under Wine that takes its time. With UMSSHIM_TEST_WHOLE the program is one test,
# "<prefix>all": most of the time of a short test under Wine goes into the start of its process;
# but for those that are APART.
function(discover_tests target prefix)
  cmake_parse_arguments(arg "APART" "" "MODES;EXCEPT;PROPERTIES" ${ARGN})
  if(UMSSHIM_TEST_WHOLE AND NOT arg_APART)
    set(filter "")
    if(arg_EXCEPT)
      list(JOIN arg_EXCEPT ":" excepted)
      set(filter "--gtest_filter=-${excepted}")
    endif()
    get_target_property(emulator ${target} CROSSCOMPILING_EMULATOR)
    if(NOT emulator)
      set(emulator "")
    endif()
    foreach(mode IN LISTS arg_MODES)
      mode_parts("${mode}" suffix settings)
      add_test(NAME "${prefix}all${suffix}" COMMAND ${emulator} $<TARGET_FILE:${target}> --gtest_brief=1 ${filter})
      set(properties ${arg_PROPERTIES})
      list(TRANSFORM properties REPLACE "," "@")
      string(REPLACE "@" "\\;" properties "${properties}")
      set_tests_properties("${prefix}all${suffix}" PROPERTIES ENVIRONMENT "${settings}" ${properties} TIMEOUT 180)
    endforeach()
    return()
  endif()
  set(options "")
  if(arg_EXCEPT)
    list(JOIN arg_EXCEPT ":" excepted)
    list(APPEND options TEST_FILTER "-${excepted}")
  endif()
  list(GET arg_MODES 0 first_mode)
  mode_parts("${first_mode}" first_suffix settings)
  if(first_suffix)
    list(APPEND options TEST_SUFFIX "${first_suffix}")
  endif()
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 30
    TEST_PREFIX "${prefix}" TEST_LIST ${target}_found ${options})

  # ctest reads this after what gtest_discover_tests has left it.
  get_target_property(emulator ${target} CROSSCOMPILING_EMULATOR)
  if(NOT emulator)
    set(emulator "")
  endif()
  string(LENGTH "${prefix}" head)
  string(LENGTH "${prefix}${first_suffix}" around)
  string(CONCAT script
    "set(command [==[${emulator}]==] [==[$<TARGET_FILE:${target}>]==])\n"
    "foreach(test IN LISTS ${target}_found)\n"
    "  string(LENGTH \"\${test}\" length)\n"
    "  math(EXPR length \"\${length} - ${around}\")\n"
    "  string(SUBSTRING \"\${test}\" ${head} \${length} case)\n")
  foreach(mode IN LISTS arg_MODES)
    mode_parts("${mode}" suffix settings)
    if(NOT mode STREQUAL first_mode)
      string(APPEND script
        "  add_test(\"${prefix}\${case}${suffix}\" \${command} \"--gtest_filter=\${case}\")\n")
    endif()
    string(APPEND script "  set_tests_properties(\"${prefix}\${case}${suffix}\" PROPERTIES\n"
      "    SKIP_REGULAR_EXPRESSION [==[\\[  SKIPPED \\]]==] ENVIRONMENT \"${settings}\"")
    foreach(word IN LISTS arg_PROPERTIES) # names and values; a value's ";" is a "," until here
      string(REPLACE "," ";" word "${word}")
      string(APPEND script " \"${word}\"")
    endforeach()
    string(APPEND script ")\n")
  endforeach()
  string(APPEND script "endforeach()\n")
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}_modes.cmake")
  file(GENERATE OUTPUT "${file}" CONTENT "${script}")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${file}")
endfunction()
