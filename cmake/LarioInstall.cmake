# cmake --install: the public headers, liblario.so and liblario.a, a pkg-config file and a CMake
# package. Nothing that is installed knows the prefix, so a tree may be moved.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lario
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")
install(TARGETS lario EXPORT larioTargets)
# An export set of its own: only who links statically needs libmd's development files.
install(TARGETS lario_static EXPORT larioStaticTargets)

set(lario_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lario)
install(EXPORT larioTargets NAMESPACE lario:: DESTINATION ${lario_cmake_dir})
install(EXPORT larioStaticTargets NAMESPACE lario:: DESTINATION ${lario_cmake_dir})
set(LARIO_STATIC_NEEDS "")
if(LARIO_TLS)
    string(APPEND LARIO_STATIC_NEEDS " OPENSSL:openssl")
endif()
if(LARIO_COMPRESSION)
    string(APPEND LARIO_STATIC_NEEDS " ZLIB:zlib BROTLI:libbrotlienc,libbrotlidec")
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/larioConfig.cmake.in
    ${PROJECT_BINARY_DIR}/larioConfig.cmake
    INSTALL_DESTINATION ${lario_cmake_dir})
# While the major version is 0 each minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/larioConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/larioConfig.cmake ${PROJECT_BINARY_DIR}/larioConfigVersion.cmake
    DESTINATION ${lario_cmake_dir})

file(RELATIVE_PATH lario_pc_to_prefix
    /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" lario_pc_to_prefix ${lario_pc_to_prefix})
set(LARIO_PC_LIBS "")
if(LARIO_TLS)
    string(APPEND LARIO_PC_LIBS " -lssl -lcrypto")
endif()
if(LARIO_COMPRESSION)
    string(APPEND LARIO_PC_LIBS " -lz -lbrotlienc -lbrotlidec")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/lario.pc.in ${PROJECT_BINARY_DIR}/lario.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lario.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
