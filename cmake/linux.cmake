# SPDX-License-Identifier: MIT
# libumsshim.so: the core, the Linux engine and the Win32 calls, natively.
set(UMSSHIM_WINE_INCLUDE_DIR "/usr/include/wine/wine/windows" CACHE PATH
    "Folder of Wine's windows.h (Debian: libwine-dev); native builds only")

if(NOT EXISTS "${UMSSHIM_WINE_INCLUDE_DIR}/windows.h")
  message(FATAL_ERROR "No windows.h in ${UMSSHIM_WINE_INCLUDE_DIR}: install libwine-dev, "
                      "or set UMSSHIM_WINE_INCLUDE_DIR.")
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(liburing REQUIRED IMPORTED_TARGET liburing>=2.3)
# The decoder of instructions is opened at run time (platform/linux/os/decoder.c): its headers are enough.
find_path(UMSSHIM_ZYDIS_INCLUDE_DIR Zydis/Zydis.h)
if(NOT UMSSHIM_ZYDIS_INCLUDE_DIR)
  message(FATAL_ERROR "No Zydis/Zydis.h: install libzydis-dev, or set UMSSHIM_ZYDIS_INCLUDE_DIR.")
endif()

# ---- the library -------------------------------------------------------------------------------

file(GLOB engine_sources CONFIGURE_DEPENDS platform/linux/*.c platform/linux/*/*.c platform/linux/*/*.S)
list(FILTER engine_sources EXCLUDE REGEX "/fault_memory[.]c$") # a checked build's
file(GLOB surface_sources CONFIGURE_DEPENDS winapi/linux/*.c winapi/linux/*.S)

include(cmake/front.cmake)
add_library(umsshim SHARED ${core_sources} ${engine_sources} ${surface_sources})
add_library(umsshim::umsshim ALIAS umsshim)
set_target_properties(umsshim PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  C_VISIBILITY_PRESET hidden
  LINK_DEPENDS ${UMSSHIM_MAP})
# The switch is a handful of instructions: a call between two files is a good part of it.
# CMAKE_INTERPROCEDURAL_OPTIMIZATION says otherwise, here as everywhere.
if(NOT DEFINED CMAKE_INTERPROCEDURAL_OPTIMIZATION AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  include(CheckIPOSupported)
  check_ipo_supported(RESULT umsshim_ipo OUTPUT ipo_why LANGUAGES C)
  set_target_properties(umsshim PROPERTIES INTERPROCEDURAL_OPTIMIZATION ${umsshim_ipo})
endif()
target_include_directories(umsshim
  PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/winapi/include>
         $<BUILD_INTERFACE:${UMSSHIM_SPELLINGS_DIR}>
         $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/umsshim/include>
         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/umsshim>
  PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/platform/linux)
# An installed copy looks for them where it is used: umsshim-config.cmake.in.
target_include_directories(umsshim SYSTEM PUBLIC $<BUILD_INTERFACE:${UMSSHIM_WINE_INCLUDE_DIR}>
                           PRIVATE ${UMSSHIM_ZYDIS_INCLUDE_DIR})
# What users compile with, too. Microsoft's words (calling conventions, __declspec, __int64, ...)
# are there before any header, as with its compiler, and its pragmas pass. The definition is empty,
# as sources have it that make it themselves.
set(UMSSHIM_USER_DEFINITIONS "WIN32_LEAN_AND_MEAN=")
set(UMSSHIM_USER_OPTIONS -include umsshim_msvc.h -Wno-unknown-pragmas)
list(JOIN UMSSHIM_USER_OPTIONS " " user_options)
target_compile_options(umsshim PUBLIC "$<$<COMPILE_LANGUAGE:C,CXX>:SHELL:${user_options}>")
target_compile_definitions(umsshim
  PUBLIC ${UMSSHIM_USER_DEFINITIONS}
  PRIVATE _GNU_SOURCE $<$<BOOL:${UMSSHIM_CHECKS}>:UMSSHIM_CHECKS=1>)
if(UMSSHIM_CHECKS)
  # A program may have such a build run out of something: platform/linux/os/fault_points.h.
  target_compile_definitions(umsshim PRIVATE UMSSHIM_FAULT_POINTS)
  target_sources(umsshim PRIVATE platform/linux/os/fault_memory.c)
  foreach(name malloc calloc realloc strdup strndup)
    target_link_options(umsshim PRIVATE -Wl,--wrap=${name})
  endforeach()
endif()
if(UMSSHIM_COUNT_LINES)
  target_sources(umsshim PRIVATE tests/support/line_counts.c)
endif()
# Distributions have their compilers or their packages' flags define _FORTIFY_SOURCE. Its headers redirect read,
# longjmp and their like, which are defined here, to other names. gcc reads what -Wp brings last.
set(UMSSHIM_WITHOUT_FORTIFY -U_FORTIFY_SOURCE -Wp,-U_FORTIFY_SOURCE)
# Nobody is meant to replace one of our functions by another: calls among them are direct.
target_compile_options(umsshim PRIVATE ${UMSSHIM_WARNINGS} -fno-semantic-interposition -fexceptions
  -fno-stack-protector -fomit-frame-pointer -foptimize-sibling-calls ${UMSSHIM_WITHOUT_FORTIFY})
# The map names symbols that the linker makes only at the end; newer versions of lld want to be told that these may
# be missing before.
target_link_options(umsshim PRIVATE
  -Wl,--version-script=${UMSSHIM_MAP} -Wl,--undefined-version
  -Wl,-Bsymbolic-functions -Wl,-z,defs -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,-z,nodelete)
target_link_libraries(umsshim PUBLIC Threads::Threads PRIVATE PkgConfig::liburing dl)

# Probes for tracers: a header makes them.
include(CheckIncludeFile)
check_include_file(sys/sdt.h UMSSHIM_HAVE_SDT)
if(NOT UMSSHIM_TRACING)
  target_compile_definitions(umsshim PRIVATE UMSSHIM_WITHOUT_TRACING)
elseif(UMSSHIM_HAVE_SDT)
  target_compile_definitions(umsshim PRIVATE UMSSHIM_PROBES)
else()
  message(STATUS "No sys/sdt.h (Debian: systemtap-sdt-dev): libumsshim.so gets no probes for perf and bpftrace")
endif()
# memcheck is told of stacks: a header makes the requests.
check_include_file(valgrind/memcheck.h UMSSHIM_HAVE_MEMCHECK)
if(UMSSHIM_HAVE_MEMCHECK)
  target_compile_definitions(umsshim PRIVATE UMSSHIM_MEMCHECK)
else()
  message(STATUS "No valgrind/memcheck.h (Debian: valgrind): under valgrind's memcheck workers' stacks seem invalid")
endif()
set_source_files_properties(platform/linux/inspect/probes.c PROPERTIES COMPILE_OPTIONS -fno-lto)

# A sanitizer's run time looks libc's functions up before it is ready, and meets our dlsym.
set_source_files_properties(
  platform/linux/libc/redirect.c platform/linux/os/front_behind.c platform/linux/os/module_symbol.c PROPERTIES
  COMPILE_OPTIONS -fno-sanitize=all)

# ---- Unicode builds -----------------------------------------------------------------------------
# Visual Studio's default: a wchar_t of 16 bits, W calls, wmain. Packages may not have debug information, nor the
# compiler's mark, in an archive. No link-time optimization: the linker would compare wmain's parameters with those of
# the program, which may have fewer.
add_library(umsshim-wmain STATIC winapi/linux/wmain/wmain.c)
target_include_directories(umsshim-wmain PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(umsshim-wmain PRIVATE umsshim)
target_compile_options(umsshim-wmain PRIVATE ${UMSSHIM_WARNINGS} -fPIC -g0 -fno-ident -fno-lto)
set(UMSSHIM_UNICODE_DEFINITIONS UNICODE _UNICODE)
add_library(umsshim-unicode INTERFACE)
add_library(umsshim::unicode ALIAS umsshim-unicode)
set_target_properties(umsshim-unicode PROPERTIES EXPORT_NAME unicode)
target_compile_options(umsshim-unicode INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-fshort-wchar>)
target_compile_definitions(umsshim-unicode INTERFACE ${UMSSHIM_UNICODE_DEFINITIONS})
target_link_libraries(umsshim-unicode INTERFACE umsshim-wmain umsshim)

if(UMSSHIM_INSTALL)
  include(cmake/install.cmake)
endif()
include(cmake/inspect.cmake)
include(cmake/missing.cmake)
