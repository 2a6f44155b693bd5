# What the plugin and the runtime are -> identity.h. Arguments: TEMPLATE, HEADER, FILES with commas between them.
string(REPLACE "," ";" FILES "${FILES}")
foreach(file ${FILES})
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 DPROF_PLUGIN_HASH ${hashes})
configure_file(${TEMPLATE} ${HEADER} @ONLY)
# Unchanged content keeps its time, but a plugin that was linked again is one that something asked for.
file(TOUCH ${HEADER})
