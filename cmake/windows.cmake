# SPDX-License-Identifier: MIT
# umsshim.dll with its import library, and umsrun.exe, cross-built with MinGW-w64. The compiler's own
# libraries are linked in: a user copies one DLL and one EXE.
file(GLOB engine_sources CONFIGURE_DEPENDS platform/windows/*.c platform/windows/*/*.c
  platform/windows/*/*.S)
file(GLOB surface_sources CONFIGURE_DEPENDS winapi/windows/*.c)
list(APPEND surface_sources winapi/windows/umsrun/inject.c winapi/windows/umsrun/program.c)

# All programs here, tests and samples among them, need no DLL of the compiler's.
add_link_options(-static -Wl,--dynamicbase,--nxcompat,--high-entropy-va)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

add_library(umsshim_dll SHARED ${core_sources} ${engine_sources} ${surface_sources}
  umsshim/umsshim.def)
# The linker's own import library would not have the symbols that umsshim.h names.
set_target_properties(umsshim_dll PROPERTIES OUTPUT_NAME umsshim PREFIX "" IMPORT_PREFIX "linker-")
target_include_directories(umsshim_dll PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/winapi/include ${CMAKE_CURRENT_SOURCE_DIR}/umsshim/include
  ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/platform/windows)
target_compile_definitions(umsshim_dll PRIVATE UMSSHIM_BUILDING WIN32_LEAN_AND_MEAN
  UMSSHIM_VERSION_TEXT="${PROJECT_VERSION}"
  $<$<BOOL:${UMSSHIM_CHECKS}>:UMSSHIM_CHECKS=1>)
target_compile_options(umsshim_dll PRIVATE ${UMSSHIM_WARNINGS} -fno-stack-protector
  -fomit-frame-pointer -foptimize-sibling-calls -mcmodel=small)
target_link_libraries(umsshim_dll PRIVATE synchronization)

# The same with every transition and invariant checked, for tests that want to hear what it says.
get_target_property(umsshim_sources umsshim_dll SOURCES)
add_library(umsshim_checked SHARED EXCLUDE_FROM_ALL ${umsshim_sources})
set_target_properties(umsshim_checked PROPERTIES OUTPUT_NAME umsshim PREFIX "" IMPORT_PREFIX "checked-"
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/checked)
foreach(property INCLUDE_DIRECTORIES COMPILE_OPTIONS LINK_LIBRARIES)
  get_target_property(value umsshim_dll ${property})
  set_target_properties(umsshim_checked PROPERTIES ${property} "${value}")
endforeach()
target_compile_definitions(umsshim_checked PRIVATE UMSSHIM_BUILDING WIN32_LEAN_AND_MEAN UMSSHIM_CHECKS=1
  UMSSHIM_VERSION_TEXT="${PROJECT_VERSION}")

# Each function under two symbols: its name, and umsshim_ before it for programs that use our header.
set(implib ${PROJECT_BINARY_DIR}/libumsshim.dll.a)
set(implib_def ${PROJECT_BINARY_DIR}/libumsshim.def)
file(STRINGS umsshim/umsshim.def exports REGEX "^    [A-Z][A-Za-z]+")
list(TRANSFORM exports REPLACE "^    ([A-Za-z]+).*" "\\1")
set(text "LIBRARY umsshim.dll\nEXPORTS\n")
set(msvc_text ${text})
foreach(name IN LISTS exports)
  string(APPEND text "    ${name}\n    umsshim_${name} == ${name}\n")
  string(APPEND msvc_text "    ${name}\n    umsshim_${name}\n")
endforeach()
file(CONFIGURE OUTPUT ${implib_def} CONTENT "${text}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS umsshim/umsshim.def)
add_custom_command(OUTPUT ${implib} COMMAND ${CMAKE_DLLTOOL} -d ${implib_def} -l ${implib}
  DEPENDS ${implib_def} VERBATIM)

# The same in the form of Microsoft's linker. There a symbol is the name in the DLL, which has both.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(msvc_implib ${PROJECT_BINARY_DIR}/umsshim.lib)
set(msvc_def ${PROJECT_BINARY_DIR}/umsshim-msvc.def)
file(CONFIGURE OUTPUT ${msvc_def} CONTENT "${msvc_text}")
set(import_library ${CMAKE_CURRENT_SOURCE_DIR}/cmake/import_library.py)
add_custom_command(OUTPUT ${msvc_implib}
  COMMAND ${Python3_EXECUTABLE} ${import_library} ${msvc_def} ${msvc_implib}
  DEPENDS ${msvc_def} ${import_library} VERBATIM)
add_custom_target(umsshim_implib ALL DEPENDS ${implib} ${msvc_implib})

# What programs link: the import library and the headers, before anything of the system's.
add_library(umsshim INTERFACE)
add_library(umsshim::umsshim ALIAS umsshim)
add_dependencies(umsshim umsshim_implib umsshim_dll)
target_include_directories(umsshim INTERFACE
  ${CMAKE_CURRENT_SOURCE_DIR}/winapi/include ${UMSSHIM_SPELLINGS_DIR}
  ${CMAKE_CURRENT_SOURCE_DIR}/umsshim/include)
target_compile_definitions(umsshim INTERFACE WIN32_LEAN_AND_MEAN)
target_link_libraries(umsshim INTERFACE ${implib} synchronization)

# For what stands for old binaries: the declarations, and the symbols that old libraries gave.
add_library(umsshim_unlinked INTERFACE)
target_include_directories(umsshim_unlinked INTERFACE
  ${CMAKE_CURRENT_SOURCE_DIR}/winapi/include ${UMSSHIM_SPELLINGS_DIR}
  ${CMAKE_CURRENT_SOURCE_DIR}/umsshim/include)
target_compile_definitions(umsshim_unlinked INTERFACE UMSSHIM_BUILDING WIN32_LEAN_AND_MEAN)
target_link_libraries(umsshim_unlinked INTERFACE synchronization)

add_executable(umsrun winapi/windows/umsrun/main.c winapi/windows/umsrun/inject.c winapi/windows/umsrun/job.c
  winapi/windows/umsrun/loader_end.c winapi/windows/umsrun/link.c winapi/windows/umsrun/register.c
  winapi/windows/umsrun/pe_link.c winapi/windows/umsrun/pe_unlink.c
  winapi/windows/umsrun/pe_objection.c winapi/windows/pe_image.c
  winapi/windows/umsrun/program.c winapi/windows/umsrun/check.c winapi/windows/umsrun/ums_functions.c
  winapi/windows/umsrun/canary.c winapi/windows/umsrun/try.c winapi/windows/umsrun/why.c
  winapi/windows/umsrun/target.c winapi/windows/umsrun/holders.c winapi/windows/umsrun/halt.c
  winapi/windows/umsrun/dump.c winapi/windows/umsrun/dump_file.c)
target_include_directories(umsrun PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(umsrun PRIVATE __USE_MINGW_ANSI_STDIO=1 UMSSHIM_VERSION_TEXT="${PROJECT_VERSION}")
target_link_libraries(umsrun PRIVATE umsshim_unlinked)
target_compile_options(umsrun PRIVATE ${UMSSHIM_WARNINGS})
add_dependencies(umsrun umsshim_dll)

# scripts/coverage.sh --windows. Each file leaves its counts when its process ends; GCOV_PREFIX says where.
if(UMSSHIM_COUNT_LINES)
  foreach(target umsshim_dll umsrun)
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(${target} PRIVATE --coverage)
  endforeach()
endif()

include(cmake/resources.cmake)
add_resources(umsshim_dll "User-Mode Scheduling for Windows 11")
add_resources(umsrun "Runs programs that use User-Mode Scheduling")

if(UMSSHIM_INSTALL)
  include(cmake/install-windows.cmake)
endif()
