// Stage: blocks. Steps of BHive's method (Chen et al., IISWC 2019, table of the ablation), each of which may be left
// out.
#pragma once

namespace dprof {

enum class Pages { none, each_its_own, all_one };

struct Method {
  const char *name;
  Pages pages = Pages::all_one;
  bool flushes_subnormals = true;
  bool takes_two_numbers = true; // of copies, and checks the invariants; else 100 copies, divided by 100
};

constexpr Method whole_method = {"two-numbers-of-copies"};
// Each has one step more than the one before.
constexpr Method steps[] = {{"100-copies", Pages::none, false, false},
                            {"pages-mapped", Pages::each_its_own, false, false},
                            {"one-physical-page", Pages::all_one, false, false},
                            {"subnormals-flushed", Pages::all_one, true, false},
                            whole_method};

} // namespace dprof
