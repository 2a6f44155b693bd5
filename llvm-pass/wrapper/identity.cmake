# The contents of the plugin and the runtime, and those of what a musl is built by -> identity.h. Arguments: TEMPLATE,
# HEADER, FILES and MUSL_FILES with commas between them.
function(hash_of files result)
  string(REPLACE "," ";" files "${files}")
  foreach(file ${files})
    file(SHA256 ${file} hash)
    string(APPEND hashes ${hash})
  endforeach()
  string(SHA256 hash ${hashes})
  set(${result} ${hash} PARENT_SCOPE)
endfunction()
hash_of("${FILES}" DPROF_PLUGIN_HASH)
hash_of("${MUSL_FILES}" DPROF_MUSL_HASH)
string(SUBSTRING ${DPROF_MUSL_HASH} 0 16 DPROF_MUSL_HASH)
configure_file(${TEMPLATE} ${HEADER} @ONLY)
# configure_file keeps the time of an unchanged file; after a new link of the plugin the header must be newer than that.
file(TOUCH ${HEADER})
