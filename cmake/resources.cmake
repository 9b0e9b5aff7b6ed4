# SPDX-License-Identifier: MIT
# add_resources(<target> <description>): the version and the manifest of a file that users copy. The version
# is the project's, the copyright LICENSE's.
#
# The process's code page is left as the system has it: a program that umsrun starts has a manifest of its
# own, and the DLL must not change what its program sees.
file(STRINGS ${PROJECT_SOURCE_DIR}/LICENSE copyright REGEX "^Copyright" LIMIT_COUNT 1)

function(add_resources target description)
  get_target_property(type ${target} TYPE)
  get_target_property(internal_name ${target} OUTPUT_NAME)
  if(NOT internal_name)
    set(internal_name ${target})
  endif()
  if(type STREQUAL "SHARED_LIBRARY")
    set(file_type VFT_DLL)
    set(file_name ${internal_name}.dll)
    set(manifest_number 2)
  else()
    set(file_type VFT_APP)
    set(file_name ${internal_name}.exe)
    set(manifest_number 1)
  endif()
  set(version_commas
    "${PROJECT_VERSION_MAJOR},${PROJECT_VERSION_MINOR},${PROJECT_VERSION_PATCH},0")
  string(REPLACE "," "." version_dots ${version_commas})

  set(folder ${PROJECT_BINARY_DIR}/resources)
  set(manifest ${internal_name}.manifest) # by name: windres looks beside the script
  configure_file(${PROJECT_SOURCE_DIR}/winapi/windows/umsshim.manifest.in
    ${folder}/${manifest} @ONLY NEWLINE_STYLE UNIX)
  configure_file(${PROJECT_SOURCE_DIR}/winapi/windows/version.rc.in
    ${folder}/${internal_name}.rc @ONLY NEWLINE_STYLE UNIX)
  set(object ${folder}/${internal_name}.res.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_RC_COMPILER} -O coff -I ${folder} ${folder}/${internal_name}.rc ${object}
    DEPENDS ${folder}/${internal_name}.rc ${folder}/${manifest} VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(${target} PRIVATE ${object})
endfunction()
