# SPDX-License-Identifier: MIT
# umsshim-missing, and its table: what there is, by winapi/README.md, umsshim.map and the headers. Component "dev".
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
  message(STATUS "umsshim-missing is left out: its table is made by Python 3")
  return()
endif()
set(missing_source ${CMAKE_CURRENT_SOURCE_DIR}/winapi/missing)
set(missing_table ${CMAKE_CURRENT_BINARY_DIR}/win32.json)
file(GLOB missing_headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/winapi/include/*.h
     ${CMAKE_CURRENT_SOURCE_DIR}/winapi/include/sys/*.h)
add_custom_command(OUTPUT ${missing_table}
  COMMAND ${Python3_EXECUTABLE} -B ${missing_source}/umsshim_missing/table.py ${CMAKE_CURRENT_SOURCE_DIR}
          ${UMSSHIM_WINE_INCLUDE_DIR} ${missing_table}
  DEPENDS ${missing_source}/umsshim_missing/table.py ${CMAKE_CURRENT_SOURCE_DIR}/winapi/README.md
          ${CMAKE_CURRENT_SOURCE_DIR}/umsshim/umsshim.map ${missing_headers} VERBATIM)
add_custom_target(umsshim_missing_table ALL DEPENDS ${missing_table})

if(UMSSHIM_INSTALL)
  install(PROGRAMS ${missing_source}/umsshim-missing TYPE BIN)
  install(DIRECTORY ${missing_source}/umsshim_missing DESTINATION ${CMAKE_INSTALL_DATADIR}/umsshim
          FILES_MATCHING PATTERN "*.py")
  install(FILES ${missing_table} DESTINATION ${CMAKE_INSTALL_DATADIR}/umsshim)
endif()
