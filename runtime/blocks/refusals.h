// Stage: blocks. Instructions that no block may have, by mnemonic, and the word that says why. docs/blocks.md explains
// each word.
#pragma once

#include <string_view>

namespace dprof {

// "" if a block may have it. `mnemonic`: Intel's, without prefixes.
const char *refusal_of(std::string_view mnemonic);

} // namespace dprof
