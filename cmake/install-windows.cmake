# SPDX-License-Identifier: MIT
# cmake --install of a Windows build: what umsshim-VERSION-win64.zip has. Paths are fixed, for this is no
# system's tree: a user puts the folder where he likes.
install(TARGETS umsshim_dll umsrun RUNTIME DESTINATION bin) # ums_conformance: tests/conformance
install(FILES ${implib} ${msvc_implib} DESTINATION lib)
# Without the spellings: Windows does not tell cases apart, and <Windows.h> would include itself.
install(FILES umsshim/include/umsshim.h umsshim/include/umsshim_nt.h
        DESTINATION include/umsshim)
install(DIRECTORY winapi/include/ DESTINATION include/umsshim PATTERN *.md EXCLUDE)

install(DIRECTORY docs samples DESTINATION . ${UMSSHIM_DOC_PATTERNS})

configure_file(docs/readme-windows.txt.in README.txt @ONLY NEWLINE_STYLE CRLF)
configure_file(LICENSE LICENSE.txt @ONLY NEWLINE_STYLE CRLF)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/README.txt ${CMAKE_CURRENT_BINARY_DIR}/LICENSE.txt
        DESTINATION .)
