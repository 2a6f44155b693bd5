// Stage: recorder. An ELF file -> its build id: the note of type 3 by "GNU". The file's lengths are checked against the
// bytes that are there.
#include "build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace dprof {
namespace {

constexpr size_t most_note_bytes = 1 << 16;
constexpr uint64_t most_headers = 1 << 10;

size_t aligned(size_t bytes) { return (bytes + 3) & ~(size_t)3; }

std::string hexadecimal(const uint8_t *bytes, size_t count) {
  const char *digits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; i++) text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
  return text;
}

std::string find_in_notes(const std::vector<uint8_t> &notes) {
  for (size_t at = 0; notes.size() - at >= sizeof(Elf64_Nhdr);) {
    Elf64_Nhdr note;
    memcpy(&note, notes.data() + at, sizeof note);
    const size_t name = at + sizeof note, left = notes.size() - name;
    if (note.n_namesz > left || note.n_descsz > left || aligned(note.n_namesz) + note.n_descsz > left) break;
    const uint8_t *bytes = notes.data() + name + aligned(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        memcmp(notes.data() + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
      return hexadecimal(bytes, note.n_descsz);
    at = std::min(notes.size(), name + aligned(note.n_namesz) + aligned(note.n_descsz));
  }
  return "";
}

} // namespace

std::string build_id_of(const std::string &path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  std::string id;
  Elf64_Ehdr header;
  const bool is_elf = pread(file, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                      memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
  for (uint64_t i = 0; is_elf && id.empty() && i < std::min<uint64_t>(header.e_phnum, most_headers); i++) {
    Elf64_Phdr part;
    if (pread(file, &part, sizeof part, (off_t)(header.e_phoff + i * header.e_phentsize)) != (ssize_t)sizeof part)
      break;
    if (part.p_type != PT_NOTE) continue;
    std::vector<uint8_t> notes(std::min<size_t>(part.p_filesz, most_note_bytes));
    const ssize_t got = pread(file, notes.data(), notes.size(), (off_t)part.p_offset);
    notes.resize(got > 0 ? (size_t)got : 0);
    id = find_in_notes(notes);
  }
  close(file);
  return id;
}

} // namespace dprof
