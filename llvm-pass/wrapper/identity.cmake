# The contents of the plugin and the runtime -> identity.h. Arguments: TEMPLATE, HEADER, FILES with commas between them.
string(REPLACE "," ";" FILES "${FILES}")
foreach(file ${FILES})
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 DPROF_PLUGIN_HASH ${hashes})
configure_file(${TEMPLATE} ${HEADER} @ONLY)
# configure_file keeps the time of an unchanged file; after a new link of the plugin the header must be newer than that.
file(TOUCH ${HEADER})
