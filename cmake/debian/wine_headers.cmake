# SPDX-License-Identifier: MIT
# wine_headers.cmake - the files of Wine's that libumsshim-dev carries, for libwine-dev depends on all of Wine: what the
# compiler opens for each header that our folder or a spelling (cmake/spellings.cmake) passes to.
file(GLOB wine_headers RELATIVE ${PROJECT_SOURCE_DIR}/winapi/include ${PROJECT_SOURCE_DIR}/winapi/include/*.h)
list(APPEND wine_headers ${spellings} ${api_sets})
list(TRANSFORM wine_headers TOLOWER)
list(REMOVE_DUPLICATES wine_headers)
set(carried "")
foreach(header IN LISTS wine_headers)
  file(WRITE ${debian}/header.c "#include <windows.h>\n#include <${header}>\n")
  execute_process(COMMAND ${CMAKE_C_COMPILER} -E -H -UWIN32_LEAN_AND_MEAN ${UMSSHIM_USER_OPTIONS}
      -I ${PROJECT_SOURCE_DIR}/winapi/include -I ${UMSSHIM_SPELLINGS_DIR} -I ${PROJECT_SOURCE_DIR}/umsshim/include
      -isystem ${UMSSHIM_WINE_INCLUDE_DIR} ${debian}/header.c
    OUTPUT_QUIET ERROR_VARIABLE opened)
  string(REGEX MATCHALL "[.]+ ${UMSSHIM_WINE_INCLUDE_DIR}/[^\n]+" opened "${opened}")
  list(TRANSFORM opened REPLACE "^[.]+ " "")
  list(APPEND carried ${opened})
endforeach()
list(REMOVE_DUPLICATES carried)
list(LENGTH carried count)
if(count LESS 40)
  message(FATAL_ERROR "only ${count} of Wine's headers were found: ${carried}")
endif()
foreach(file IN LISTS carried)
  file(RELATIVE_PATH name ${UMSSHIM_WINE_INCLUDE_DIR} ${file})
  get_filename_component(folder "${name}" DIRECTORY)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/umsshim/wine/${folder} COMPONENT dev)
endforeach()
