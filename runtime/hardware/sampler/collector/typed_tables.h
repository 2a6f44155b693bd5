// Stage: sampler. Tables of types, places, modules, rows and objects -> what the samples file's directory and blocks
// hold (src/hardware/samples/typed-samples.ts).
#pragma once

#include "../../../recorder/json.h"
#include "code_places.h"
#include "row_table.h"
#include "samples_file.h"
#include "type_table.h"

namespace dprof {

Json describe_modules(const CodePlaces &places);
Json describe_places(const CodePlaces &places);
// `run_ns`: that averages are over.
Json describe_types(TypeTable &types, double run_ns);
Columns pack_rows(const RowTable &rows);
// By type, then birth.
Columns pack_objects(TypeTable &types);

} // namespace dprof
