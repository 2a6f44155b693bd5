// Stage: replay. Fields of a JavaScript object; columns are borrowed, and checked for their element size.
#pragma once

#include <napi.h>

#include <string>

#include "trace/input.h"

namespace dprof {

class Reader {
public:
  explicit Reader(Napi::Object object) : object_(object) {}

  Reader in(const char *name) const { return Reader(object_.Get(name).As<Napi::Object>()); }
  double number(const char *name) const { return object_.Get(name).As<Napi::Number>().DoubleValue(); }
  std::string text(const char *name) const { return object_.Get(name).As<Napi::String>().Utf8Value(); }
  Napi::Value value(const char *name) const { return object_.Get(name); }

  template <typename T> void column(const char *name, Column<T> &into) const {
    Napi::Value value = object_.Get(name);
    if (!value.IsTypedArray()) throw InputError(std::string("input column ") + name + " is missing");
    auto array = value.As<Napi::TypedArray>();
    if (array.ElementSize() != sizeof(T))
      throw InputError(std::string("input column ") + name + " has another element size");
    // Not through the array's buffer: the progress column lies in shared memory, which is no ArrayBuffer.
    void *data = nullptr;
    if (napi_get_typedarray_info(array.Env(), array, nullptr, nullptr, &data, nullptr, nullptr) != napi_ok)
      throw InputError(std::string("input column ") + name);
    into.data = static_cast<const T *>(data);
    into.count = array.ElementLength();
  }

private:
  Napi::Object object_;
};

} // namespace dprof
