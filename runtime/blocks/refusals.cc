// Stage: blocks. Mnemonics, by the word that refuses them.
#include "refusals.h"

#include <algorithm>
#include <iterator>

namespace dprof {
namespace {

constexpr std::string_view system_calls[] = {"syscall", "sysenter", "int", "vmcall", "vmmcall", "into"};

constexpr std::string_view illegal[] = {"ud0", "ud1", "ud2", "ud2a", "ud2b"};

constexpr std::string_view clocks[] = {"rdtsc", "rdtscp", "rdpmc"};

constexpr std::string_view privileged[] = {
    "cli",       "clac",    "clgi",    "clts",      "enclu",     "encls",    "enclv",     "enqcmd",   "enqcmds",
    "getsec",    "hlt",     "hreset",  "in",        "insb",      "insd",     "insw",      "invd",     "invept",
    "invlpg",    "invlpga", "invlpgb", "invpcid",   "invvpid",   "iret",     "iretd",     "iretq",    "lgdt",
    "lidt",      "lldt",    "lmsw",    "ltr",       "monitor",   "monitorx", "mwait",     "mwaitx",   "out",
    "outsb",     "outsd",   "outsw",   "pconfig",   "psmash",    "rdmsr",    "rdmsrlist", "rsm",      "senduipi",
    "setssbsy",  "sgdt",    "sidt",    "skinit",    "sldt",      "smsw",     "stac",      "stgi",     "sti",
    "str",       "swapgs",  "sysexit", "sysexitq",  "sysret",    "sysretq",  "testui",    "clui",     "stui",
    "uiret",     "tlbsync", "vmclear", "vmfunc",    "vmlaunch",  "vmload",   "vmptrld",   "vmptrst",  "vmread",
    "vmresume",  "vmrun",   "vmsave",  "vmwrite",   "vmxoff",    "vmxon",    "wbinvd",    "wbnoinvd", "wrmsr",
    "wrmsrlist", "wrmsrns", "xsetbv",  "rmpadjust", "rmpupdate", "pvalidate"};

// What the harness sets and counts on, and what other programs would notice.
constexpr std::string_view system_state[] = {
    "cpuid",     "wrpkru",    "wrfsbase", "wrgsbase",  "xrstor",    "xrstor64", "xrstors",     "xrstors64",
    "fxrstor",   "fxrstor64", "xsave",    "xsave64",   "xsavec",    "xsavec64", "xsaveopt",    "xsaveopt64",
    "xsaves",    "xsaves64",  "fxsave",   "fxsave64",  "tpause",    "umonitor", "umwait",      "fnsave",
    "frstor",    "fnstenv",   "fldenv",   "incsspd",   "incsspq",   "rstorssp", "saveprevssp", "wrssd",
    "wrssq",     "wrussd",    "wrussq",   "ldtilecfg", "sttilecfg", "ptwrite",  "serialize",   "xsusldtrk",
    "xresldtrk", "llwpcb",    "slwpcb",   "lwpins",    "lwpval"};

constexpr std::string_view cache_control[] = {"clflush", "clflushopt", "clwb", "cldemote", "clzero"};

bool is_among(std::string_view name, const std::string_view *begin, const std::string_view *end) {
  return std::find(begin, end, name) != end;
}

} // namespace

const char *refusal_of(std::string_view mnemonic) {
  const auto is_in = [&](const auto &names) { return is_among(mnemonic, std::begin(names), std::end(names)); };
  if (is_in(system_calls)) return "system-call";
  if (is_in(illegal)) return "illegal-instruction";
  if (is_in(clocks)) return "reads-clock";
  if (is_in(privileged)) return "privileged";
  if (is_in(system_state)) return "system-state";
  if (is_in(cache_control)) return "cache-control";
  return "";
}

} // namespace dprof
