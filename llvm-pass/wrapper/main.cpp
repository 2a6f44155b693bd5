// Stage: compiler wrapper: a build's compiler command -> the same command of clang with dprof's plugin and runtime.
// Under a name that ends in ++ (dprof-c++) it is clang++, under one that ends in fc (dprof-fc) flang: the newest that
// the plugin was built for. What is neither a compile nor a link is the compiler's own business.
//   DPROF_CLANG    the compiler to run instead, with words before it if there are any: "ccache clang-19"
//   DPROF_LLVM     the version of it, if DPROF_CLANG does not say: 22
//   DPROF_BUILD    where the plugin and the runtime are, instead of where this program is
#include "command.h"
#include "compiler.h"
#include "identity.h"
#include "musl.h"
#include "response_file.h"
#include "target.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace dprof;

namespace {

using Arguments = std::vector<std::string>;

// Options of our own: each becomes a variable that the plugin reads. `-fdprof-NAME=VALUE`, and where there is no option
// of clang's that it could be taken for, `--NAME=VALUE` or `--NAME VALUE` too.
struct OwnOption {
  std::string_view name, value; // what the value is called; empty: there is none
  const char *variable;
  bool isRepeated, hasShortForm; // repeated: values are lines of the variable
};
constexpr auto ownOptions = std::to_array<OwnOption>({
    {"stats", "", "DPROF_STATS", false, false},
    {"allocators", "FILE|NAME", "DPROF_ALLOCATORS", false, true},
    {"locks", "FILE|NAME", "DPROF_LOCKS", false, true},
    {"only", "GLOB", "DPROF_ONLY", true, true},
    {"skip", "GLOB", "DPROF_SKIP", true, true},
    {"list", "FILE", "DPROF_LIST", true, false},
    {"values", "", "DPROF_VALUES", false, false},
    {"args", "", "DPROF_ARGS", false, false},
    {"locals", "", "DPROF_LOCALS", false, false},
    {"blocks", "", "DPROF_BLOCKS", false, false},
    {"libc", "musl", "DPROF_WANTED_LIBC", false, true},
});

[[noreturn]] void fail(const std::string &message, const std::string &hint = "") {
  std::fprintf(stderr, "dprof-cc: %s\n", message.c_str());
  if (!hint.empty()) std::fprintf(stderr, "hint: %s\n", hint.c_str());
  std::exit(1);
}

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

[[noreturn]] void failUnknown(const std::string &argument) {
  std::string known;
  for (const OwnOption &option : ownOptions)
    known += (known.empty() ? "-fdprof-" : ", -fdprof-") + std::string(option.name) +
             (option.value.empty() ? "" : "=" + std::string(option.value));
  fail("unknown option " + argument + "; there are " + known);
}

// Null: it is an option of the compiler's.
const OwnOption *asOwnOption(const std::string &argument) {
  std::string_view word = argument;
  bool isLong = word.starts_with("-fdprof-");
  if (!isLong && !word.starts_with("--")) return nullptr;
  word.remove_prefix(isLong ? 8 : 2);
  size_t equals = std::min(word.find('='), word.size());
  for (const OwnOption &option : ownOptions)
    if (option.name == word.substr(0, equals) &&
        (isLong ? option.value.empty() == (equals == word.size()) : option.hasShortForm))
      return &option;
  if (isLong) failUnknown(argument);
  return nullptr;
}

void obey(const OwnOption &option, const std::string &value) {
  std::string before = option.isRepeated ? environment(option.variable) : "";
  setenv(option.variable, (before.empty() ? value : before + "\n" + value).c_str(), 1);
}

// The words that are not options of our own.
Arguments takeOwnOptions(const Arguments &words, bool obeys) {
  Arguments others;
  for (size_t i = 0; i < words.size(); ++i) {
    const OwnOption *option = asOwnOption(words[i]);
    if (!option) {
      others.push_back(words[i]);
      continue;
    }
    std::string value = "1";
    size_t equals = words[i].find('=');
    if (!option->value.empty() && equals == std::string::npos && ++i == words.size())
      fail(words[i - 1] + " needs a " + std::string(option->value));
    if (!option->value.empty()) value = equals == std::string::npos ? words[i] : words[i].substr(equals + 1);
    if (obeys) obey(*option, value);
  }
  return others;
}

// Takes them out of both; where some are in a response file, which clang would read, that file's words stand for it.
void obeyOwnOptions(Arguments &expanded, Arguments &arguments) {
  Arguments others = takeOwnOptions(expanded, true);
  if (others.size() == expanded.size()) return;
  Arguments left = takeOwnOptions(arguments, false);
  arguments = arguments.size() - left.size() == expanded.size() - others.size() ? left : others;
  expanded = others;
}

std::string folderOfThisProgram() {
  std::string path(4096, '\0');
  ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) fail("/proc/self/exe can not be read; set DPROF_BUILD to the folder that the plugin was built in");
  path.resize(static_cast<size_t>(length));
  for (int up = 0; up < 2; ++up) // bin/dprof-cc
    path.resize(path.rfind('/'));
  return path;
}

// If DPROF_CLANG runs a ccache, it sees the plugin's name; it must be told of the plugin's contents.
void tellCcache(const std::string &plugin) {
  if (environment("DPROF_CLANG").empty()) return;
  std::string files = environment("CCACHE_EXTRAFILES");
  setenv("CCACHE_EXTRAFILES", (files.empty() ? plugin : files + ":" + plugin).c_str(), 1);
}

Arguments compileArguments(const Command &command, const std::string &plugin, bool isFortran) {
  Arguments added{"-fpass-plugin=" + plugin};
  if (!isFortran) // for dprof.h; as a word for clang itself, it never is an unused one
    added.insert(added.end(), {"-Xclang", "-D__DPROF__=1"});
  if (!command.hasDebug) {
    if (command.isVerbose) std::fprintf(stderr, "dprof-cc: adding -g: types and lines come from debug information\n");
    // Assembled from text, version 5 is warned of: the assembler sees checksums of some files only.
    added.push_back(command.keepsSteps ? "-gdwarf-4" : "-g");
  }
  std::string folders;
  for (const std::string &folder : command.systemFolders) folders += folder + "\n";
  setenv("DPROF_SYSTEM_FOLDERS", folders.c_str(), 1);
  // A link by another linker than lld has no place for the plugin: its inputs must be instrumented already.
  bool linksElsewhere = !command.linker.empty() && !command.usesLld();
  if (command.lto != Lto::None && (linksElsewhere || command.isFatLto)) setenv("DPROF_LTO", "compile", 1);
  return added;
}

Arguments runtimeArguments(const Command &command, const std::string &build, bool isCxx) {
  std::string library = build + "/lib";
  bool isAlone = command.hasNoLibrary && !command.hasLibraryC && !command.isShared;
  if (isAlone) return {"-Wl,--push-state,--whole-archive", library + "/libdprof_nothing.a", "-Wl,--pop-state"};
  if (!command.isStatic || command.isShared)
    // By its path: a folder to look in would show up in what CMake finds out about the compiler.
    return {"-Wl,--push-state,--no-as-needed", library + "/link/libdprof_runtime.so", "-Wl,--pop-state",
            "-Wl,-rpath," + library};
  Arguments added{"-Wl,--push-state,--whole-archive", library + "/libdprof_static.a"};
  if (isCxx || command.hasLibraryCxx)
    added.insert(added.end(), {library + "/libdprof_static_new.a", "-Wl,@" + library + "/wrap_new.rsp"});
  added.insert(added.end(), {"-Wl,--pop-state", "-Wl,@" + library + "/wrap.rsp"});
  return added;
}

Arguments ltoArguments(const Command &command, const std::string &plugin) {
  Arguments added;
  if (command.lto != Lto::None && command.linker.empty()) added.push_back("-fuse-ld=lld");
  if (!added.empty() || command.usesLld()) added.push_back("-Wl,--load-pass-plugin=" + plugin);
  // At 0 a thin link runs no passes at all.
  if (command.lto == Lto::Thin && command.isUnoptimised && !added.empty()) added.push_back("-Wl,--lto-O1");
  return added;
}

// The other sanitizers (undefined and its parts, cfi, kcfi …) only add checks to the code.
std::string_view reasonAgainst(std::string_view sanitizer) {
  struct Refusal {
    std::string_view name, reason;
  };
  constexpr std::string_view allocates = "its runtime has a malloc of its own, so no object would be seen";
  constexpr std::string_view orders =
      "its runtime has malloc, threads and locks of its own, so neither objects nor the order of threads would be seen";
  constexpr std::string_view counts = "what it counts is memory too, and would be measured with the program's";
  constexpr std::string_view kernels = "it is for kernels, which are not recorded";
  constexpr auto refusals = std::to_array<Refusal>({
      {"address", allocates},
      {"hwaddress", allocates},
      {"leak", allocates},
      {"scudo", allocates},
      {"memory", "its runtime has a malloc of its own, and needs addresses to be random"},
      {"dataflow", "it renames the functions that are recorded"},
      {"thread", orders},
      {"safe-stack", "it moves stack variables to a stack that is not known"},
      {"fuzzer", counts},
      {"fuzzer-no-link", counts},
      {"kernel-address", kernels},
      {"kernel-hwaddress", kernels},
      {"kernel-memory", kernels},
  });
  auto found = std::find_if(refusals.begin(), refusals.end(), [&](auto &one) { return one.name == sanitizer; });
  return found == refusals.end() ? std::string_view() : found->reason;
}

// The folder of the musl that --libc=musl asks for; empty: it is not asked for.
std::string askedMusl(std::string_view name, const Command &command, const Compiler &compiler,
                      const std::string &build) {
  std::string asked = environment("DPROF_WANTED_LIBC");
  if (asked.empty()) return "";
  unsetenv("DPROF_WANTED_LIBC");
  if (asked != "musl")
    fail("--libc=" + asked + ": the C library that dprof-cc can build is musl; hint: --libc=musl, or leave it out");
  if (std::string reason = reasonAgainstMusl(name, command); !reason.empty()) fail("--libc=musl " + reason);
  bool hasInput = command.hasSources || command.hasObjects || command.stage == Stage::Check;
  if (!hasInput || compiler.plugin.empty()) return ""; // --version; or what is refused below
  std::string musl = findMusl(compiler, build);
  if (musl.empty()) std::exit(1);
  setenv("DPROF_LIBC", "seen", 1);
  return musl;
}

[[noreturn]] void become(const Arguments &compiler, const Arguments &added, const Arguments &arguments,
                         const Arguments &behind = {}) {
  std::vector<char *> words;
  for (const Arguments *part : {&compiler, &added, &arguments, &behind})
    for (const std::string &word : *part) words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  std::perror(("dprof-cc: " + compiler[0]).c_str());
  std::fprintf(stderr, "hint: install %s, or set DPROF_CLANG to the compiler\n", compiler[0].c_str());
  std::exit(127);
}

} // namespace

int main(int count, char **words) {
  std::string_view name = words[0];
  Arguments arguments(words + 1, words + count);
  Arguments expanded = expandResponseFiles(arguments);
  obeyOwnOptions(expanded, arguments);
  Command command = understand(expanded);
  std::string build = environment("DPROF_BUILD");
  if (build.empty()) build = folderOfThisProgram();
  auto [compiler, plugin, version] = findCompiler(name, environment("DPROF_CLANG"), build);
  if (compiler.empty()) {
    std::string built = pluginVersions(build);
    fail(built.empty() ? "no plugin is built in " + build : "DPROF_LLVM or CC names no LLVM of " + built);
  }
  for (const std::string &name : command.sanitizers)
    if (std::string_view reason = reasonAgainst(name); !reason.empty())
      fail("-fsanitize=" + name + " can not be combined with dprof: " + std::string(reason));
  std::string musl = askedMusl(name, command, {compiler, plugin, version}, build);
  bool talks = command.stage == Stage::Probe || !(command.hasSources || command.hasObjects);
  if (talks) become(compiler, musl.empty() ? Arguments() : compileWithMusl(musl).before, arguments);

  if (plugin.empty())
    fail(compiler.back() + " is of LLVM " + std::to_string(version) + ", and the plugin is built for LLVM " +
         pluginVersions(build) + "; set DPROF_CLANG to such a compiler, or leave it out");
  bool isFortran = name.ends_with("fc");
  if (isFortran && version == 16)
    fail(compiler.back() + " writes no debug information: Fortran is recorded from LLVM 19 on");
  Processor processor = processorOf(command.target);
  bool links = command.stage == Stage::Link && !command.isPartialLink;
  std::string runtime = runtimeFolder(build, processor);
  if (links && processor == Processor::Other)
    fail("programs for " + command.target + " can not be recorded", "there are runtimes for x86-64 and aarch64");
  if (links && runtime.empty())
    fail("no runtime for " + command.target + " is built in " + build, "run scripts/aarch64.sh");
  if (environment("DPROF_BLOCKS") == "1" && processor != Processor::X86)
    fail("-fdprof-blocks is for x86-64 alone, whose machine code dprof reads", "leave it out");
  Arguments added;
  Arguments behind;
  auto add = [&](const Arguments &more) { added.insert(added.end(), more.begin(), more.end()); };
  if (!musl.empty()) add(compileWithMusl(musl).before);
  bool compiles = command.hasSources && command.stage != Stage::Check && !command.isFreestanding;
  if (compiles) {
    add(compileArguments(command, plugin, isFortran));
    tellCcache(plugin);
  }
  if (links) {
    if (musl.empty()) {
      add(runtimeArguments(command, runtime, name.ends_with("++")));
    } else {
      MuslArguments linked = linkWithMusl(command, musl, build);
      add(linked.before);
      behind = linked.behind;
    }
    add(ltoArguments(command, plugin));
    // By it a file that was built anew is told from the one that ran. Not every clang has it by itself.
    if (environment("DPROF_BLOCKS") == "1") add({"-Wl,--build-id"});
  }
  become(compiler, added, arguments, behind);
}
