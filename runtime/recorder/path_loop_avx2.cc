// Stage: recorder. The loop over paths for x86-64 with AVX2 and BMI2, for which it is compiled.
#ifdef __AVX2__
#include "path_loop_vectors.h"

namespace dprof {
namespace {

inline bool pack_eight(const uint64_t *, uint8_t *&) { return false; }

} // namespace
} // namespace dprof

#include "path_loop_body.h"

namespace dprof {
extern const PathLoops path_loops_avx2 = {encode_short_paths<false>, encode_short_paths<true>, pack_differences};
}
#endif
