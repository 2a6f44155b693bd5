// Stage: trace -> replay. The caches of a lone core, as a stream of references sees them: it asks for the hits itself,
// while it lays references out, and hands on what is no hit of a known line.
#pragma once

#include "batch/reference_batch.h"
#include "layout/known_lines.h"

namespace dprof {

class Lookups {
public:
  explicit Lookups(const Machine &machine) : known(machine) {}
  virtual ~Lookups() = default;
  virtual void begin(ReferenceBatch &batch) = 0;
  /// Makes reference `at`, which does not leave its line and is no hit of a known line; all before it were looked up.
  /// Returns the line's first granule.
  virtual uint32_t meet(uint32_t at, uint64_t address, uint32_t reach, bool store) = 0;
  /// Prefetches what misses of these addresses, or other words, would need.
  virtual void fetch(const uint64_t *words, const uint64_t *end) const = 0;
  /// Looks up all that was laid out since. If it throws, what lies behind the bad address is taken out of the batch.
  virtual void lookUp(ReferenceBatch &batch) = 0;
  /// References up to `end` were hits of known lines; all before them had been looked up.
  void passTo(uint32_t end) { at_ = end; }
  /// Up to where references are looked up, as far as it knows.
  uint32_t at() const { return at_; }
  virtual void end(ReferenceBatch &batch) = 0;

  KnownLines known;

protected:
  uint32_t at_ = 0;
};

} // namespace dprof
