# The libraries of docs/dependencies.md, found once and offered in two ways:
#   frz_libraries  as the distribution shares them; for the library, its users and its tests
#   frz_archives   static where the distribution has an archive; for the command, which then starts
#                  without resolving a dozen shared objects
set(FRZ_PKG_CONFIG_MODULES libzstd liblz4 libdeflate sqlite3 yaml-0.1 libbrotlidec libbrotlienc liblzma)

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
# Snappy and bzip2 come without a pkg-config file on Debian 12; of xxHash only the header is used.
find_library(SNAPPY_LIBRARY snappy REQUIRED)
find_package(BZip2 REQUIRED)
pkg_check_modules(FRZ_XXHASH REQUIRED libxxhash)

add_library(frz_libraries INTERFACE)
foreach(module ${FRZ_PKG_CONFIG_MODULES})
    pkg_check_modules(${module} REQUIRED IMPORTED_TARGET ${module})
    target_link_libraries(frz_libraries INTERFACE PkgConfig::${module})
endforeach()
target_link_libraries(frz_libraries INTERFACE
    $<BUILD_INTERFACE:${SNAPPY_LIBRARY}> $<INSTALL_INTERFACE:snappy>
    BZip2::BZip2 Threads::Threads m)

# The archive of a library, or its shared form where the distribution has no archive. In the order in
# which a linker needs them.
add_library(frz_archives INTERFACE)
foreach(name zstd lz4 deflate brotlidec brotlienc brotlicommon bz2 lzma sqlite3 yaml)
    find_library(FRZ_ARCHIVE_${name} NAMES lib${name}.a ${name} REQUIRED)
    mark_as_advanced(FRZ_ARCHIVE_${name})
    target_link_libraries(frz_archives INTERFACE ${FRZ_ARCHIVE_${name}})
endforeach()
# Snappy is C++: its archive asks for that of the C++ runtime.
find_library(FRZ_ARCHIVE_snappy NAMES libsnappy.a)
mark_as_advanced(FRZ_ARCHIVE_snappy)
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libstdc++.a
    OUTPUT_VARIABLE archive_of_cxx OUTPUT_STRIP_TRAILING_WHITESPACE)
if(FRZ_ARCHIVE_snappy AND EXISTS "${archive_of_cxx}")
    target_link_libraries(frz_archives INTERFACE ${FRZ_ARCHIVE_snappy} ${archive_of_cxx} -static-libgcc)
else()
    target_link_libraries(frz_archives INTERFACE ${SNAPPY_LIBRARY})
endif()
target_link_libraries(frz_archives INTERFACE Threads::Threads m)
