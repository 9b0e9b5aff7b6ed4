# SPDX-License-Identifier: MIT
# What looks at the library from outside: the extension of gdb, which gdb loads with the library of whose file
# name its own is made, and programs. Component "tools".
set(inspect_source ${CMAKE_CURRENT_SOURCE_DIR}/platform/linux/inspect)
set(inspect_script libumsshim.so.${PROJECT_VERSION}-gdb.py)

# Beside the library of this tree: gdb wants to be told once that it may trust this folder.
file(RELATIVE_PATH UMSSHIM_INSPECT_FROM_LIBRARY ${CMAKE_CURRENT_BINARY_DIR} ${inspect_source})
configure_file(${inspect_source}/libumsshim-gdb.py.in ${inspect_script} @ONLY)

if(NOT UMSSHIM_INSTALL)
  return()
endif()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tools)
# Installed: beside the library, wherever the tree is moved. gdb trusts its own data folder without being told;
# below that the library's path is repeated, and a package of the system's puts the script there.
file(RELATIVE_PATH UMSSHIM_INSPECT_FROM_LIBRARY ${CMAKE_INSTALL_FULL_LIBDIR}
  ${CMAKE_INSTALL_FULL_DATADIR}/umsshim)
configure_file(${inspect_source}/libumsshim-gdb.py.in inspect/${inspect_script} @ONLY)
set(inspect_script_folder ${CMAKE_INSTALL_LIBDIR})
if(UMSSHIM_DEBIAN)
  set(inspect_script_folder ${CMAKE_INSTALL_DATADIR}/gdb/auto-load${CMAKE_INSTALL_FULL_LIBDIR})
endif()
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/inspect/${inspect_script} DESTINATION ${inspect_script_folder})
install(PROGRAMS ${inspect_source}/umsshim-trace TYPE BIN)
install(DIRECTORY ${inspect_source}/umsshim_inspect DESTINATION ${CMAKE_INSTALL_DATADIR}/umsshim
        FILES_MATCHING PATTERN "*.py" PATTERN "*.js")
