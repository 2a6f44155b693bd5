// Stage: collector of histories. Histories -> their file.
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

#include "../../../recorder/bytes.h"
#include "../../../recorder/json.h"
#include "../../run/incomplete_file.h"
#include "dprof/histories_format.h"
#include "dprof/histories_session.h"

namespace dprof {

struct Element {
  uint32_t offset;
  uint8_t width;
  uint64_t ip;
  uint32_t cpu, thread;
  uint64_t time_ns;
};

struct History {
  dprof_histories_object object = {};
  uint32_t set = 0, watch = 0, partner = 0;
  uint64_t element = 0;
  uint64_t armed_ns = 0, ended_ip = 0, ended_ns = 0;
  uint32_t ended_thread = 0, ended_cpu = 0;
  dprof_histories_ending ending = DPROF_ENDING_EXIT;
  std::vector<Element> elements;
};

class HistoriesFile {
public:
  // 0, or the errno of the failure.
  int create(const std::string &path);
  void write_json(dprof_histories_chunk kind, const Json &json);
  // Kept until there are enough for a chunk.
  void add(const History &history);
  bool wants_flush() const;
  void flush();
  int finish() { return file_.finish(); }
  void remove() { file_.remove(); }

  uint32_t histories() const { return written_ + (uint32_t)waiting_.size(); }

private:
  void write_chunk(dprof_histories_chunk kind, const Bytes &payload);

  IncompleteFile file_;
  uint32_t chunks_ = 0, written_ = 0;
  size_t waiting_elements_ = 0;
  std::vector<History> waiting_;
};

} // namespace dprof
