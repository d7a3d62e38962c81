# Turns what mlir-tblgen writes (RAW) into a page (PAGE) with a TITLE that names its SOURCE.
file(READ "${RAW}" text)

string(REGEX REPLACE "^<!--[^\n]*-->\n" "" text "${text}")
# The dialect generator writes a heading of its own and a table of contents that only MLIR's site understands.
string(REGEX REPLACE "\n# '[^\n]*' Dialect\n" "\n" text "${text}")
string(REPLACE "\n[TOC]\n" "\n" text "${text}")
# The pass generator starts at the third level.
string(REPLACE "\n#### Options" "\n### Options" text "\n${text}")
string(REPLACE "\n#### Statistics" "\n### Statistics" text "${text}")
string(REPLACE "\n### `-" "\n## `-" text "${text}")
string(REGEX REPLACE "[ \t]+\n" "\n" text "${text}")
string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
string(STRIP "${text}" text)

file(WRITE "${PAGE}" "<!-- Generated from ${SOURCE} by the target nag-docs. Edit that file, not this one. -->

# ${TITLE}

${text}
")
