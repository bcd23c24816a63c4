# `cmake --install`: headers, both libraries, the command with its manual page and completions, which
# the command prints itself, and the files by which pkg-config and CMake find the library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS frazil frazil_shared frz_libraries EXPORT frazilTargets)
install(TARGETS frazil_command)
install(DIRECTORY include/frazil DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(frazil_cmake ${CMAKE_INSTALL_LIBDIR}/cmake/frazil)
install(EXPORT frazilTargets NAMESPACE frazil:: DESTINATION ${frazil_cmake})
configure_package_config_file(cmake/frazilConfig.cmake.in frazilConfig.cmake
    INSTALL_DESTINATION ${frazil_cmake})
write_basic_package_version_file(frazilConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/frazilConfig.cmake ${CMAKE_BINARY_DIR}/frazilConfigVersion.cmake
    DESTINATION ${frazil_cmake})

# Found from where the .pc file lies, so that `cmake --install --prefix` and moved trees work.
set(frazil_pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH FRZ_PREFIX_FROM_PC /prefix/${frazil_pkgconfig} /prefix)
list(JOIN FRZ_PKG_CONFIG_MODULES " " FRZ_PKG_CONFIG_REQUIRES)
configure_file(cmake/frazil.pc.in frazil.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/frazil.pc DESTINATION ${frazil_pkgconfig})

set(printed ${CMAKE_BINARY_DIR}/printed) # by cli/
install(FILES ${printed}/frazil.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${printed}/frazil DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${printed}/_frazil DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${printed}/frazil.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
