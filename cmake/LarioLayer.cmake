# lario_layer(NAME SOURCES file... [LIBS target...])
#
# One layer of src/ as an OBJECT library. Headers are found as "layer/file.h"; that includes point
# only downwards is checked by tools/check-layers, which runs as a test.
function(lario_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
    add_library(lario_${name} OBJECT ${arg_SOURCES})
    set_target_properties(lario_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(lario_${name} PRIVATE lario_compile lario_internal ${arg_LIBS})
    set_property(GLOBAL APPEND PROPERTY LARIO_LAYERS lario_${name})
    set_property(GLOBAL APPEND PROPERTY LARIO_LAYER_LIBS ${arg_LIBS})
endfunction()
