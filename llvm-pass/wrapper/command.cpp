// Stage: compiler wrapper. Arguments -> the steps that clang will take with them.
#include "command.h"

#include <algorithm>
#include <array>

namespace dprof {

namespace {

using Text = std::string_view;

template <size_t N> bool isOneOf(Text word, const std::array<Text, N> &words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
template <size_t N> bool startsWithOneOf(Text word, const std::array<Text, N> &words) {
  return std::any_of(words.begin(), words.end(), [&](Text start) { return word.starts_with(start); });
}

// Options whose value is a folder of headers that are not the program's own.
constexpr auto systemFolder =
    std::to_array<Text>({"-isystem", "-cxx-isystem", "-c-isystem", "-stdlib++-isystem", "-idirafter"});

// Options whose value is the next argument.
constexpr auto takesValue = std::to_array<Text>({
    "-o",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-F",
    "-T",
    "-u",
    "-z",
    "-B",
    "-e",
    "-A",
    "-G",
    "-include",
    "-include-pch",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-iframework",
    "-isysroot",
    "-imultilib",
    "-ivfsoverlay",
    "-cxx-isystem",
    "-c-isystem",
    "-stdlib++-isystem",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xanalyzer",
    "-Xopenmp-target",
    "-mllvm",
    "-arch",
    "-target",
    "--sysroot",
    "-rpath",
    "--param",
    "-dependency-file",
    "-working-directory",
    "--config",
    "-Tdata",
    "-Ttext",
    "-Tbss",
    "-framework",
    "-mthread-model",
    "--output",
    "--include",
    "--include-directory",
    "--define-macro",
    "--undefine-macro",
    "--library-directory",
    "--prefix",
    "--serialize-diagnostics",
    "-serialize-diagnostics",
    "-J",
});

constexpr auto onlyTalks = std::to_array<Text>({
    "-E",
    "-M",
    "-MM",
    "--preprocess",
    "--dependencies",
    "--user-dependencies",
    "--version",
    "-version",
    "-###",
    "--analyze",
    "-cc1",
    "-cc1as",
});
constexpr auto onlyTalksStart =
    std::to_array<Text>({"-dump", "-print-", "--print-", "--help", "-help", "--autocomplete"});
constexpr auto onlyChecks =
    std::to_array<Text>({"-fsyntax-only", "--precompile", "-emit-ast", "-emit-pch", "-verify-pch", "-emit-module"});

// -g and its kind ask for debug information; these only say how it should be.
constexpr auto debugForm = std::to_array<Text>({
    "-gcc-",
    "-gno-",
    "-gcolumn-info",
    "-gsplit-dwarf",
    "-gz",
    "-gsimple-template-names",
    "-gpubnames",
    "-gembed-source",
    "-gstrict-dwarf",
});

constexpr auto sourceEndings = std::to_array<Text>({
    "c",   "cc",  "cp",  "cxx", "cpp", "CPP",  "c++", "C",   "CXX", "i",   "ii",  "m",   "mm",
    "M",   "mi",  "mii", "bc",  "ll",  "cppm", "ixx", "pcm", "ast", "f",   "F",   "for", "FOR",
    "fpp", "FPP", "f90", "F90", "f95", "F95",  "f03", "F03", "f08", "F08", "f18", "F18",
});
constexpr auto cxxEndings =
    std::to_array<Text>({"cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "CXX", "ii", "mm", "M", "mii", "cppm", "ixx"});
constexpr auto headerEndings = std::to_array<Text>({"h", "hh", "hp", "hpp", "hxx", "h++", "H"});
constexpr auto assemblerEndings = std::to_array<Text>({"s", "S", "sx"});

Text endingOf(Text path) {
  size_t dot = path.rfind('.'), slash = path.rfind('/');
  if (dot == Text::npos || (slash != Text::npos && dot < slash)) return {};
  return path.substr(dot + 1);
}

class Reader {
public:
  explicit Reader(Command &command) : command(command) {}

  void read(const std::vector<std::string> &arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      Text argument = arguments[i];
      bool hasNext = i + 1 < arguments.size();
      if (argument == "--") {
        while (++i < arguments.size()) input(arguments[i]);
      } else if (argument == "-x" || argument == "--language") {
        if (hasNext) language = arguments[++i];
      } else if (argument == "-Xclang") {
        if (hasNext && isOneOf(arguments[++i], onlyChecks)) stopAt(Stage::Check);
      } else if (argument.starts_with("-Xarch_")) {
        i += hasNext;
      } else if (isOneOf(argument, takesValue)) {
        if (hasNext) separate(argument, arguments[++i]);
      } else if (argument.starts_with("-isystem")) {
        separate("-isystem", argument.substr(8));
      } else if (argument.size() > 1 && argument[0] == '-') {
        option(argument);
      } else {
        input(argument);
      }
    }
  }

private:
  Command &command;
  Text language; // of -x, for what follows

  void stopAt(Stage stage) { command.stage = std::max(command.stage, stage); }

  void separate(Text name, Text value) {
    if (name == "-l")
      library(value);
    else if (isOneOf(name, systemFolder))
      command.systemFolders.emplace_back(value);
    else if (name == "-target")
      command.target = value;
    else if (name == "--sysroot" || name == "-isysroot")
      sysroot(value);
    else if (name == "-Xlinker" && (value == "-r" || value == "--relocatable"))
      command.isPartialLink = true;
  }

  void sysroot(Text folder) {
    for (Text inside : {"/usr/include", "/usr/lib", "/usr/local/include"})
      command.systemFolders.push_back(std::string(folder) + std::string(inside));
  }

  void library(Text name) {
    command.hasObjects = true;
    command.hasLibraryC |= name == "c";
    command.hasLibraryCxx |= name == "stdc++" || name == "c++" || name == "c++abi";
  }

  void option(Text word) {
    if (word.starts_with("-x"))
      language = word.substr(2);
    else if (word.starts_with("--language="))
      language = word.substr(11);
    else if (isOneOf(word, onlyTalks) || startsWithOneOf(word, onlyTalksStart))
      stopAt(Stage::Probe);
    else if (isOneOf(word, onlyChecks))
      stopAt(Stage::Check);
    else if (word == "-c" || word == "-S" || word == "--compile" || word == "--assemble")
      stopAt(Stage::Compile);
    else if (word == "-v" || word == "--verbose")
      command.isVerbose = true;
    else if (word.starts_with("-l"))
      library(word.substr(2));
    else if (word.starts_with("-g"))
      command.hasDebug |= !startsWithOneOf(word, debugForm);
    else if (word.starts_with("-save-temps") || word.starts_with("--save-temps"))
      command.keepsSteps = true;
    else if (word.starts_with("-O"))
      command.isUnoptimised = word == "-O0";
    else if (word.starts_with("-f"))
      feature(word);
    else
      linking(word);
  }

  void feature(Text word) {
    if (word == "-fopenmp" || word.starts_with("-fopenmp="))
      command.hasOpenMp = true;
    else if (word == "-ffreestanding" || word == "-fno-hosted")
      command.isFreestanding = true;
    else if (word == "-fhosted" || word == "-fno-freestanding")
      command.isFreestanding = false;
    else if (word == "-flto" || (word.starts_with("-flto=") && word != "-flto=thin"))
      command.lto = Lto::Full;
    else if (word == "-flto=thin")
      command.lto = Lto::Thin;
    else if (word == "-fno-lto")
      command.lto = Lto::None;
    else if (word == "-ffat-lto-objects" || word == "-fno-fat-lto-objects")
      command.isFatLto = word[2] == 'f' && word[3] == 'a';
    else if (word.starts_with("-fuse-ld="))
      command.linker = word.substr(9);
    else if (word.starts_with("-fsanitize="))
      eachName(word.substr(11), [&](Text name) { command.sanitizers.emplace_back(name); });
    else if (word.starts_with("-fno-sanitize="))
      eachName(word.substr(14), [&](Text name) {
        std::erase_if(command.sanitizers, [&](const auto &s) { return name == "all" || s == name; });
      });
  }

  template <typename Use> static void eachName(Text names, Use use) {
    while (!names.empty()) {
      size_t comma = std::min(names.find(','), names.size());
      use(names.substr(0, comma));
      names.remove_prefix(std::min(comma + 1, names.size()));
    }
  }

  void linking(Text word) {
    if (word == "-static" || word == "-static-pie" || word == "--static")
      command.isStatic = true, command.isPie |= word == "-static-pie";
    else if (word == "-shared" || word == "--shared")
      command.isShared = true;
    else if (word == "-r" || word == "-Wl,-r" || word == "-Wl,--relocatable")
      command.isPartialLink = true;
    else if (word == "-nostdlib" || word == "--no-standard-libraries" || word == "-nodefaultlibs" || word == "-nolibc")
      command.hasNoLibrary = true;
    else if (word.starts_with("--ld-path="))
      command.linker = word.substr(10);
    else if (word.starts_with("--target="))
      command.target = word.substr(9);
    else if (word.starts_with("--sysroot="))
      sysroot(word.substr(10));
    else if (word == "-m32" || word == "-mx32")
      command.has32Bits = true;
    else if (word == "-mcmodel=kernel")
      command.isFreestanding = true;
  }

  void input(Text path) {
    if (!language.empty() && language != "none") return inputOf(language);
    Text ending = path == "-" ? Text("c") : endingOf(path);
    if (isOneOf(ending, assemblerEndings)) return;
    if (isOneOf(ending, headerEndings))
      stopAt(Stage::Check);
    else if (isOneOf(ending, sourceEndings))
      command.hasSources = true, command.hasCxx |= isOneOf(ending, cxxEndings);
    else
      command.hasObjects = true;
  }

  void inputOf(Text named) {
    if (named.starts_with("assembler")) return;
    if (named.ends_with("-header"))
      stopAt(Stage::Check);
    else
      command.hasSources = true, command.hasCxx |= named.find("++") != Text::npos;
  }
};

} // namespace

Command understand(const std::vector<std::string> &arguments) {
  Command command;
  Reader(command).read(arguments);
  return command;
}

} // namespace dprof
