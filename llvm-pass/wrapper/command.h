// Stage: compiler wrapper. Arguments -> the steps that clang will take with them.
#ifndef DPROF_WRAPPER_COMMAND_H
#define DPROF_WRAPPER_COMMAND_H

#include <string>
#include <string_view>
#include <vector>

namespace dprof {

enum class Stage { Link, Compile, Check, Probe }; // how far the compiler goes, from everything to only talking

enum class Lto { None, Full, Thin };

struct Command {
  Stage stage = Stage::Link;
  bool hasSources = false; // something that the plugin can see
  bool hasObjects = false;
  bool hasDebug = false;
  bool keepsSteps = false; // -save-temps
  bool isVerbose = false;
  bool isShared = false;
  bool isPartialLink = false;
  bool isPie = false;  // -static-pie
  bool hasCxx = false; // a source of it
  bool hasOpenMp = false;
  bool has32Bits = false;
  bool isStatic = false;
  bool isFreestanding = false; // compiled for no C library: kernels, firmware
  bool hasNoLibrary = false;   // linked with none
  bool hasLibraryC = false;    // ... but for one that is named
  bool hasLibraryCxx = false;
  bool isUnoptimised = false;
  bool isFatLto = false;
  Lto lto = Lto::None;
  std::string linker; // of -fuse-ld or --ld-path
  std::string target; // of --target; empty: this machine's
  std::vector<std::string> sanitizers;
  std::vector<std::string> systemFolders; // whose headers are not the program's own: -isystem and its like

  bool usesLld() const { return linker.find("lld") != std::string::npos; }
};

Command understand(const std::vector<std::string> &arguments);

} // namespace dprof

#endif
