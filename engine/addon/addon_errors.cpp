// Stage: replay. The engine's errors as JavaScript's, each with its parts: src/replay/native-engine.ts makes typed
// errors of them.
#include "addon/addon.h"

namespace dprof {

Napi::Value typed(Napi::Env env, const std::function<Napi::Value()> &work) {
  try {
    return work();
  } catch (const TraceError &error) {
    Napi::Error thrown = Napi::Error::New(env, error.what());
    thrown.Set("code", "trace");
    thrown.Set("offset", static_cast<double>(error.offset));
    thrown.Set("expected", error.expected);
    thrown.Set("actual", error.actual);
    throw thrown;
  } catch (const InputError &error) {
    Napi::Error thrown = Napi::Error::New(env, error.what());
    thrown.Set("code", "input");
    throw thrown;
  } catch (const RoomError &error) {
    Napi::Error thrown = Napi::Error::New(env, error.what());
    thrown.Set("code", "room");
    throw thrown;
  } catch (const FileError &error) {
    Napi::Error thrown = Napi::Error::New(env, error.what());
    thrown.Set("code", "file");
    throw thrown;
  } catch (const DiskError &error) {
    Napi::Error thrown = Napi::Error::New(env, error.what());
    thrown.Set("code", "disk");
    throw thrown;
  } catch (const std::bad_alloc &) {
    Napi::Error thrown = Napi::Error::New(env, "not enough memory for the state of the simulated caches");
    thrown.Set("code", "input");
    throw thrown;
  }
}

} // namespace dprof
