# SPDX-License-Identifier: MIT
# What looks at the library from outside: the extension of gdb, which gdb loads with the library of whose file
# name its own is made, and umsshim-trace. Component "dev".
set(inspect_source ${CMAKE_CURRENT_SOURCE_DIR}/platform/linux/inspect)
set(inspect_script libumsshim.so.${PROJECT_VERSION}-gdb.py)

# Beside the library of this tree: gdb wants to be told once that it may trust this folder.
file(RELATIVE_PATH UMSSHIM_INSPECT_FROM_LIBRARY ${CMAKE_CURRENT_BINARY_DIR} ${inspect_source})
configure_file(${inspect_source}/libumsshim-gdb.py.in ${inspect_script} @ONLY)

# Installed: gdb trusts its own data folder, below which the library's path is repeated.
set(inspect_folder ${CMAKE_INSTALL_FULL_DATADIR}/umsshim)
file(RELATIVE_PATH UMSSHIM_INSPECT_FROM_LIBRARY ${CMAKE_INSTALL_FULL_LIBDIR} ${inspect_folder})
configure_file(${inspect_source}/libumsshim-gdb.py.in inspect/${inspect_script} @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/inspect/${inspect_script}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/gdb/auto-load${CMAKE_INSTALL_FULL_LIBDIR})
install(PROGRAMS ${inspect_source}/umsshim-trace TYPE BIN)
install(DIRECTORY ${inspect_source}/umsshim_inspect DESTINATION ${CMAKE_INSTALL_DATADIR}/umsshim
        FILES_MATCHING PATTERN "*.py")
