// Stage: compiler wrapper. --libc=musl: a musl is built by runtime/musl/build.sh where there is none, under a lock, and
// found again by its folder's name: 1.2.3-llvm19-HASH, of musl's version, clang's, and what it was built by.
#include "musl.h"
#include "identity.h"
#include "target.h"

#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dprof {

namespace {

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string folderOfAll() {
  std::string folder = environment("DPROF_MUSL"), caches = environment("XDG_CACHE_HOME");
  if (!folder.empty()) return folder;
  if (caches.empty()) caches = environment("HOME") + "/.cache";
  return caches + "/dprof/musl";
}

void makeFolder(const std::string &path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0777);
  mkdir(path.c_str(), 0777);
}

constexpr std::string_view unfinished = "making"; // begins the name of a folder that is no musl yet

// The newest one.
std::string builtIn(const std::string &all, const std::string &ending) {
  std::string found;
  if (DIR *folder = opendir(all.c_str())) {
    while (const dirent *entry = readdir(folder)) {
      std::string name = entry->d_name;
      if (name.ends_with(ending) && !name.starts_with(unfinished) && name > found) found = name;
    }
    closedir(folder);
  }
  return found.empty() ? "" : all + "/" + found;
}

int run(const std::vector<std::string> &command) {
  pid_t child = fork();
  if (child == 0) {
    dup2(2, 1);
    std::vector<char *> words;
    for (const std::string &word : command) words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
  }
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  return status;
}

std::string joined(const std::vector<std::string> &words) {
  std::string all;
  for (const std::string &word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

void complain(const std::string &what) { std::fprintf(stderr, "dprof-cc: --libc=musl: %s\n", what.c_str()); }

std::string buildMusl(const Compiler &compiler, const std::string &build, const std::string &all,
                      const std::string &ending) {
  std::string making = all + "/" + std::string(unfinished) + ending;
  // The command that compiles it must be this one: with its compiler, and without its --libc.
  setenv("DPROF_CLANG", joined(compiler.words).c_str(), 1);
  if (run({"sh", build + "/lib/musl/build.sh", build + "/bin/dprof-cc", joined(compiler.words), making}) != 0) {
    complain("musl could not be built; hint: it comes from Debian's source package, by apt; elsewhere, "
             "DPROF_MUSL_SOURCE names a folder with its sources");
    return "";
  }
  std::ifstream file(making + "/musl/version");
  std::string version;
  file >> version;
  std::string built = all + "/" + version + ending;
  if (rename((making + "/musl").c_str(), built.c_str()) != 0) {
    complain("can not move " + making + "/musl to " + built);
    return "";
  }
  run({"rm", "-rf", making});
  return built;
}

} // namespace

std::string findMusl(const Compiler &compiler, const std::string &build) {
  std::string ending = "-llvm" + std::to_string(compiler.version) + "-" DPROF_MUSL_IDENTITY;
  std::string all = folderOfAll(), built = builtIn(all, ending);
  if (!built.empty()) return built;
  makeFolder(all);
  // A build starts many compilers at once.
  int lock = open((all + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) {
    complain("can not write to " + all + "; hint: DPROF_MUSL names another folder");
    return "";
  }
  flock(lock, LOCK_EX);
  built = builtIn(all, ending);
  if (built.empty()) built = buildMusl(compiler, build, all, ending);
  close(lock);
  return built;
}

std::string reasonAgainstMusl(std::string_view name, const Command &command) {
  if (name.ends_with("++") || command.hasCxx || command.hasLibraryCxx)
    return "is for C: there is no C++ library for musl; hint: leave it out, and the C library's own accesses are not "
           "seen";
  if (name.ends_with("fc")) return "is for C: there is no Fortran library for musl; hint: leave it out";
  if (command.isShared)
    return "makes whole programs, linked statically, and no shared libraries; hint: leave out -shared, or --libc=musl";
  if (command.hasOpenMp) return "has no OpenMP library; hint: leave out -fopenmp, or --libc=musl";
  if (command.isFreestanding || command.hasNoLibrary)
    return "and a command for no C library; hint: leave out one of the two";
  if (command.has32Bits || processorOf(command.target) != Processor::X86)
    return "is for x86-64 alone; hint: leave out the target, or --libc=musl";
  return "";
}

MuslArguments compileWithMusl(const std::string &musl) {
  return {{"-nostdlibinc", "-isystem", musl + "/include", "-U__GLIBC__"}, {}};
}

MuslArguments linkWithMusl(const Command &command, const std::string &musl, const std::string &build) {
  std::string library = musl + "/lib/", ours = build + "/lib";
  MuslArguments added;
  added.before = {command.isPie ? "-static-pie" : "-static",
                  "-nostdlib",
                  "-nostartfiles",
                  library + (command.isPie ? "rcrt1.o" : "crt1.o"),
                  library + "crti.o",
                  "-Wl,--push-state,--whole-archive",
                  ours + "/libdprof_musl.a",
                  "-Wl,--pop-state",
                  "-Wl,@" + ours + "/musl/wrap.rsp",
                  "-L" + musl + "/lib"};
  added.behind = {"-Wl,--start-group", library + "libc.a", "-lgcc", "-lgcc_eh", "-Wl,--end-group", library + "crtn.o"};
  return added;
}

} // namespace dprof
