// Stage: recorder. The modules that a program has loaded, each in a file of the session -> chunks, and the descriptions
// of paths and variables.
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "module_file.h"

namespace dprof {

bool Image::read_modules() {
  uint32_t before = modules_read_;
  while (modules_read_ < __atomic_load_n(&process_->modules, __ATOMIC_ACQUIRE)) {
    std::string path = session_.image_path(number_) + ".m" + std::to_string(modules_read_);
    auto file = std::make_shared<const Bytes>(read_module_file(path));
    unlink(path.c_str());
    dprof_session_module header = {};
    bool whole = file->size() >= sizeof header;
    if (whole) {
      memcpy(&header, file->data(), sizeof header);
      uint64_t left = file->size() - sizeof header;
      const uint64_t names = (uint64_t)header.path_bytes + header.build_id_bytes;
      whole = header.magic == DPROF_SESSION_MAGIC && names <= left &&
              header.globals_count <= left / sizeof(dprof_global) &&
              header.units_bytes == left - names - header.globals_count * sizeof(dprof_global);
    }
    if ((!whole || !write_module(header, file)) && !records_) { // its number is taken all the same
      Bytes empty;
      dprof_chunk_module none = {modules_read_, 0, 0, 0};
      put_raw(empty, &none, sizeof none);
      put_column(empty, nullptr, 0);
      writer_.put({*sink_, DPROF_CHUNK_MODULE, std::move(empty)});
      unread_modules_++;
    }
    modules_read_++;
  }
  return modules_read_ != before;
}

bool Image::write_module(const dprof_session_module &header, const std::shared_ptr<const Bytes> &file) {
  const uint8_t *path = file->data() + sizeof header;
  const uint8_t *build_id = path + header.path_bytes, *globals = build_id + header.build_id_bytes;
  uint64_t chunk_size = header.units_bytes + header.globals_count * sizeof(dprof_chunk_global) + header.path_bytes +
                        header.build_id_bytes + 64;
  if (chunk_size > DPROF_CHUNK_MAX_BYTES - (1u << 20)) return false;
  uint32_t first_unit = table_.units();
  const std::lock_guard homes_used(homes_.in_use);
  ModuleHomes::Units &units =
      homes_.find({file, globals + header.globals_count * sizeof(dprof_global)}, header.units_bytes);
  if (!table_.add_module(units.bytes, units.size, header.units_address)) return false;
  if (records_) {
    const dprof_sink_module *module =
        sites_.add_module(std::string((const char *)path, header.path_bytes), units.bytes.get(), units.size);
    writer_.put({*sink_, [sink = records_, module] { sink->take_module(*module); }});
    return true;
  }
  std::vector<dprof_chunk_global> placed;
  for (uint64_t i = 0; i < header.globals_count; i++) {
    uint64_t words[2]; // struct dprof_global: address, variable
    memcpy(words, globals + i * sizeof words, sizeof words);
    VariableName name;
    if (words[0] && table_.find_variable(words[1], &name) && name.unit >= first_unit)
      placed.push_back({words[0], name.unit - first_unit, name.variable});
  }
  Bytes payload;
  dprof_chunk_module chunk = {modules_read_, header.path_bytes, (uint32_t)placed.size(), header.build_id_bytes};
  put_raw(payload, &chunk, sizeof chunk);
  put_raw(payload, path, header.path_bytes);
  put_raw(payload, placed.data(), placed.size() * sizeof(dprof_chunk_global));
  put_units(std::move(payload), units, {build_id, build_id + header.build_id_bytes});
  return true;
}

void Image::put_units(Bytes payload, ModuleHomes::Units &units, const Bytes &build_id) {
  const std::string file = sink_->file_name();
  if (const ModuleHome *home = file.empty() ? nullptr : units.home(stays_)) {
    dprof_chunk_module_home named = {home->start_time_ns, home->pid, home->module, units.checksum,
                                     (uint32_t)home->file.size()};
    put_raw(payload, &named, sizeof named);
    put_raw(payload, home->file.data(), home->file.size());
    put_raw(payload, build_id.data(), build_id.size());
    writer_.put({*sink_, DPROF_CHUNK_COMMON_MODULE, std::move(payload)});
    return;
  }
  put_column(payload, units.bytes.get(), units.size);
  put_raw(payload, build_id.data(), build_id.size());
  writer_.put({*sink_, DPROF_CHUNK_MODULE, std::move(payload)});
  if (!file.empty()) units.homes.push_back({file, start_time_ns_, header_pid_, modules_read_, stays_});
}

} // namespace dprof
