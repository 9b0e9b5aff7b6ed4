# SPDX-License-Identifier: MIT
# GoogleTest for the cross compiler: no distribution has it built, so it is built here from the
# sources that Debian's package googletest puts in /usr/src.
set(UMSSHIM_GOOGLETEST_DIR /usr/src/googletest/googletest CACHE PATH "Sources of GoogleTest")
if(NOT EXISTS "${UMSSHIM_GOOGLETEST_DIR}/src/gtest-all.cc")
  message(FATAL_ERROR "No GoogleTest sources in ${UMSSHIM_GOOGLETEST_DIR}: install googletest, "
                      "or set UMSSHIM_GOOGLETEST_DIR.")
endif()
add_library(gtest_from_source STATIC ${UMSSHIM_GOOGLETEST_DIR}/src/gtest-all.cc)
target_include_directories(gtest_from_source SYSTEM PUBLIC ${UMSSHIM_GOOGLETEST_DIR}/include)
target_include_directories(gtest_from_source PRIVATE ${UMSSHIM_GOOGLETEST_DIR})
# Without what debuggers know of it: that is 5 MB in each of some 240 programs.
target_compile_options(gtest_from_source PRIVATE -g0)
add_library(GTest::gtest ALIAS gtest_from_source)
