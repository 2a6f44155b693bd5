// Stage: compiler wrapper. A compiler's version is in its name, or in that of the file that its name leads to
// (/usr/bin/clang -> ../lib/llvm-19/bin/clang); else the compiler is asked.
#include "compiler.h"
#include "response_file.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace dprof {

namespace {

using Words = std::vector<std::string>;

constexpr auto versions = std::to_array<int>({22, 19, 16}); // that a plugin can be built for, the newest first

std::string pluginOf(const std::string &build, int version) {
  return build + "/lib/libdprof_pass-" + std::to_string(version) + ".so";
}

bool hasPlugin(const std::string &build, int version) { return access(pluginOf(build, version).c_str(), R_OK) == 0; }

// As execvp would; empty: there is none.
std::string fileOf(const std::string &program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0 ? program : "";
  const char *path = std::getenv("PATH");
  std::string_view folders = path ? path : "/usr/local/bin:/usr/bin:/bin";
  for (size_t begin = 0; begin <= folders.size();) {
    size_t end = std::min(folders.find(':', begin), folders.size());
    std::string file = std::string(folders.substr(begin, end - begin)) + "/" + program;
    if (access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return "";
}

// Of clang++-22, of .../llvm-19/bin/clang. 0: none.
int versionIn(std::string_view path) {
  constexpr auto names = std::to_array<std::string_view>({"clang", "clang++", "flang", "flang-new", "llvm"});
  while (!path.empty()) {
    size_t slash = path.rfind('/');
    std::string_view part = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
    size_t dash = part.rfind('-');
    bool isNumbered = dash != std::string_view::npos && dash + 1 < part.size() &&
                      part.find_first_not_of("0123456789", dash + 1) == std::string_view::npos;
    if (isNumbered && std::any_of(names.begin(), names.end(),
                                  [&](std::string_view name) { return part.substr(0, dash).ends_with(name); }))
      return std::atoi(std::string(part.substr(dash + 1)).c_str());
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  return 0;
}

// What `PROGRAM -dumpversion` says: 19.1.7.
int askedVersion(const Words &compiler) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    close(ends[0]);
    std::vector<char *> words;
    for (const std::string &word : compiler) words.push_back(const_cast<char *>(word.c_str()));
    std::string last = "-dumpversion";
    words.push_back(last.data());
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  std::array<char, 32> said{};
  ssize_t length = child > 0 ? read(ends[0], said.data(), said.size() - 1) : 0;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return length > 0 ? std::atoi(said.data()) : 0;
}

int versionOf(const Words &compiler) {
  std::string file = fileOf(compiler.back());
  if (file.empty()) return versionIn(compiler.back());
  char *real = realpath(file.c_str(), nullptr);
  int version = versionIn(compiler.back());
  if (version == 0 && real) version = versionIn(real);
  std::free(real);
  return version ? version : askedVersion(compiler);
}

// 0: the newest one.
int wantedVersion() {
  const char *version = std::getenv("DPROF_LLVM"), *compiler = std::getenv("CC");
  if (version && *version) return std::atoi(version);
  return compiler ? versionIn(compiler) : 0; // as the project's own builds have it
}

std::string programOf(std::string_view name, int version) {
  std::string program = name.ends_with("++") ? "clang++" : name.ends_with("fc") ? "flang" : "clang";
  if (program == "flang" && version < 20) program = "flang-new"; // as it was called
  return program + "-" + std::to_string(version);
}

} // namespace

Compiler findCompiler(std::string_view name, const std::string &asked, const std::string &build) {
  Compiler found;
  if (asked.empty()) {
    int wanted = wantedVersion();
    for (int version : versions) {
      if (wanted ? version != wanted : !hasPlugin(build, version)) continue;
      std::string program = programOf(name, version);
      if (found.words.empty() || !fileOf(program).empty())
        found = {{program}, hasPlugin(build, version) ? pluginOf(build, version) : "", version};
      if (!fileOf(program).empty()) break;
    }
    return found;
  }
  found.words = access(asked.c_str(), X_OK) == 0 ? Words{asked} : tokenize(asked);
  if (found.words.empty()) return found;
  found.version = versionOf(found.words);
  if (found.version == 0) { // clang itself says if the plugin is not for it
    int version = versions.back();
    for (int other : versions)
      if (hasPlugin(build, other)) version = std::max(version, other);
    found.plugin = pluginOf(build, version);
  } else if (hasPlugin(build, found.version)) {
    found.plugin = pluginOf(build, found.version);
  }
  return found;
}

std::string pluginVersions(const std::string &build) {
  std::string all;
  for (int version : versions)
    if (hasPlugin(build, version)) all += (all.empty() ? "" : ", ") + std::to_string(version);
  return all;
}

} // namespace dprof
