// Stage: sampler. Tables of types, places, modules, rows and objects -> what the samples file's directory and blocks
// hold (src/hardware/samples/typed-samples.ts).
#pragma once

#include <map>
#include <string>

#include "code_places.h"
#include "row_table.h"
#include "samples_file.h"
#include "type_table.h"

namespace dprof {

std::string describe_modules(const CodePlaces &places);
std::string describe_places(const CodePlaces &places);
// `run_ns`: that averages are over.
std::string describe_types(TypeTable &types, double run_ns);
// An object of counts, ascending by name.
std::string describe_counts(const std::map<std::string, uint64_t> &counts);
Columns pack_rows(const RowTable &rows);
// By type, then birth.
Columns pack_objects(TypeTable &types);

} // namespace dprof
