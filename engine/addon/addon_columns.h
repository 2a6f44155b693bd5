// Stage: replay. Numbers -> JavaScript's typed arrays.
#pragma once

#include <napi.h>

#include <type_traits>
#include <utility>

#include "generated/result_columns.h"

namespace dprof {

template <typename Array, typename Get> Array fill(Napi::Env env, size_t count, Get get) {
  Array array = Array::New(env, count);
  auto *data = array.Data();
  for (size_t i = 0; i < count; i++) data[i] = get(i);
  return array;
}

/// A table of `count` rows, whose columns are those of a row of generated/result_columns.h; `row` gives each of them.
template <typename Row, typename Get> Napi::Object tableOf(Napi::Env env, size_t count, Get row) {
  Napi::Object table = Napi::Object::New(env);
  table.Set("count", static_cast<double>(count));
  Row::each([&](const char *name, auto column) {
    using Element = std::decay_t<decltype(std::declval<Row>().*column)>;
    table.Set(name, fill<Napi::TypedArrayOf<Element>>(env, count, [&](size_t i) { return Row(row(i)).*column; }));
  });
  return table;
}

inline double real(uint64_t count) { return static_cast<double>(count); }

using U8 = Napi::Uint8Array;
using U16 = Napi::Uint16Array;
using U32 = Napi::Uint32Array;
using U64 = Napi::BigUint64Array;
using F64 = Napi::Float64Array;

} // namespace dprof
