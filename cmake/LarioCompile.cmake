# Flags that every target of the project gets, by the interface target lario_compile.
add_library(lario_compile INTERFACE)
target_compile_options(lario_compile INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla
    -Wformat=2 -fno-omit-frame-pointer -fno-strict-aliasing)
target_compile_definitions(lario_compile INTERFACE _GNU_SOURCE)
if(LARIO_WERROR)
    target_compile_options(lario_compile INTERFACE -Werror)
endif()

if(LARIO_SANITIZE)
    target_compile_options(lario_compile INTERFACE
        -fsanitize=${LARIO_SANITIZE} -fno-sanitize-recover=all)
    target_link_options(lario_compile INTERFACE -fsanitize=${LARIO_SANITIZE})
endif()

# The fuzz targets need coverage and sanitizers in the library that they drive.
if(LARIO_FUZZ AND CMAKE_C_COMPILER_ID MATCHES "Clang")
    target_compile_options(lario_compile INTERFACE
        -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
    target_link_options(lario_compile INTERFACE
        -fsanitize=fuzzer-no-link,address,undefined)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    if(NOT LARIO_SANITIZE AND NOT LARIO_FUZZ)
        target_compile_options(lario_compile INTERFACE
            -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection)
    endif()
    target_link_options(lario_compile INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()

# Link-time optimisation is left to the presets (CMAKE_INTERPROCEDURAL_OPTIMIZATION). The objects
# keep machine code too, so that liblario.a also serves programs that are linked without it.
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(lario_compile INTERFACE -ffat-lto-objects)
endif()

# Internal headers are found as "layer/file.h" by quotes only: <sys/socket.h> stays the system's.
add_library(lario_internal INTERFACE)
target_compile_options(lario_internal INTERFACE "SHELL:-iquote ${PROJECT_SOURCE_DIR}/src")
target_include_directories(lario_internal INTERFACE ${PROJECT_SOURCE_DIR}/include)
