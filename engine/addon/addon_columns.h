// Stage: replay. Numbers -> JavaScript's typed arrays.
#pragma once

#include <napi.h>

namespace dprof {

template <typename Array, typename Get> Array fill(Napi::Env env, size_t count, Get get) {
  Array array = Array::New(env, count);
  auto *data = array.Data();
  for (size_t i = 0; i < count; i++) data[i] = get(i);
  return array;
}

using U8 = Napi::Uint8Array;
using U16 = Napi::Uint16Array;
using U32 = Napi::Uint32Array;
using F64 = Napi::Float64Array;

} // namespace dprof
