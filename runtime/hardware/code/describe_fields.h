// Stage: collector, sampler. Fields of a type -> their JSON, which both collectors' files hold.
#pragma once

#include <vector>

#include "../../recorder/json.h"
#include "type_layout.h"

namespace dprof {

inline Json describe_fields(const std::vector<Field> &fields) {
  return Json::list(fields, [](const Field &field) -> Json {
    return {{"path", field.path}, {"offset", field.offset}, {"bytes", field.bytes}};
  });
}

} // namespace dprof
