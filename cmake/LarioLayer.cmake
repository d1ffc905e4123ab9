# lario_layer(NAME SOURCES file... [LIBS target...])
#
# One layer of src/ as an OBJECT library. Headers are found as "layer/file.h"; that includes point
# only downwards is checked by tools/check-layers, which runs as a test.
function(lario_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
    add_library(lario_${name} OBJECT ${arg_SOURCES})
    set_target_properties(lario_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    # A cross build without the target's libmd still compiles every layer that does not use it.
    if("PkgConfig::MD" IN_LIST arg_LIBS AND NOT TARGET PkgConfig::MD)
        message(STATUS "libmd of the target is missing: layer ${name} is left out")
        set_target_properties(lario_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
        list(REMOVE_ITEM arg_LIBS PkgConfig::MD)
    endif()
    target_link_libraries(lario_${name} PRIVATE lario_compile lario_internal ${arg_LIBS})
    set_property(GLOBAL APPEND PROPERTY LARIO_LAYERS lario_${name})
    set_property(GLOBAL APPEND PROPERTY LARIO_LAYER_LIBS ${arg_LIBS})
endfunction()
