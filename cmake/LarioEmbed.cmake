# Writes the files of the list FILES as byte tables into the C file OUTPUT, run as
# cmake -DOUTPUT=... -DHEADER=... -DPREFIX=... -DFILES=... -P LarioEmbed.cmake
# The file a/b.html becomes PREFIX_b_html with its length in PREFIX_b_html_len.
set(text "/* SPDX-License-Identifier: BSD-3-Clause */\n#include \"${HEADER}\"\n")
foreach(path IN LISTS FILES)
    get_filename_component(name ${path} NAME)
    string(MAKE_C_IDENTIFIER "${PREFIX}_${name}" symbol)
    file(READ ${path} hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "((0x..,){16})" "\\1\n    " bytes "${bytes}")
    string(APPEND text "\nconst unsigned char ${symbol}[] = {\n    ${bytes}\n};\n"
                       "const size_t ${symbol}_len = sizeof ${symbol};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
