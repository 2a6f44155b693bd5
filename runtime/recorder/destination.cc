// Stage: recorder. Files, pipes, sockets: one trace each. A pipe takes the program's own trace only; other processes'
// go to files beside it.
#include "destination.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "live_trace.h"
#include "record_sink.h"
#include "trace_file.h"
#include "trace_stream.h"

namespace dprof {
namespace {

// With --drop, a reader that takes nothing for so long is given up.
constexpr int most_silence_ms = 5000;

bool is_loopback(const sockaddr *address) {
  if (address->sa_family == AF_INET) return ntohl(((const sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
  return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const sockaddr_in6 *)address)->sin6_addr);
}

// Opening these again would lose what makes `-` safe: the program's own output goes elsewhere.
bool is_standard_output(const std::string &output) {
  return output == "-" || output == "/dev/stdout" || output == "/dev/fd/1" || output == "/proc/self/fd/1";
}

bool starts_with(const std::string &text, const char *prefix) { return text.compare(0, strlen(prefix), prefix) == 0; }

struct Found {
  addrinfo *list = nullptr;
  ~Found() {
    if (list) freeaddrinfo(list);
  }
};

// 0, or the error of getaddrinfo.
int look_up(const std::string &host, const std::string &port, Found *found) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  return getaddrinfo(host.c_str(), port.c_str(), &wanted, &found->list);
}

} // namespace

bool Destination::choose(const Request &request, Failure *failure) {
  const std::string &output = request.output;
  drop_ = request.drop;
  spelled_ = output;
  others_ = request.program + ".dptrace";
  keep_ = request.keep;
  folder_ = request.others;
  auto refuse = [&](const std::string &line, const std::string &hint) {
    *failure = {line, hint, true};
    return false;
  };
  if (!request.plugin.empty()) {
    if (!output.empty() && drop_) return refuse("--drop is for streams, not for --sink", "leave one of them out");
    kind_ = Kind::plugin;
    target_ = request.plugin;
    others_ = output; // the sink's own argument
    return true;
  }
  if (is_standard_output(output))
    kind_ = Kind::standard_output;
  else if (output == "null")
    kind_ = Kind::null;
  else if (starts_with(output, "live:")) {
    kind_ = Kind::live;
    target_ = output;
    others_ = keep_.empty() ? folder_ + "/trace" : keep_;
  } else if (output == "text" || starts_with(output, "text:")) {
    kind_ = Kind::text;
    target_ = output.size() > 5 ? output.substr(5) : "";
  } else if (starts_with(output, "unix:")) {
    kind_ = Kind::unix_socket;
    target_ = output.substr(5);
    if (target_.empty() || target_.size() >= sizeof(sockaddr_un::sun_path))
      return refuse(output + " names no socket", "give a path of 1 to 107 bytes, as in unix:/tmp/traces");
  } else if (starts_with(output, "tcp:")) {
    kind_ = Kind::tcp;
    size_t colon = output.rfind(':');
    target_ = starts_with(output, "tcp://") && colon > 6 ? output.substr(6, colon - 6) : "";
    port_ = output.substr(colon + 1);
    if (target_.size() > 1 && target_[0] == '[' && target_.back() == ']')
      target_ = target_.substr(1, target_.size() - 2);
    bool is_port = !port_.empty() && port_.size() < 6 && port_.find_first_not_of("0123456789") == std::string::npos &&
                   std::stoi(port_) > 0 && std::stoi(port_) < 65536;
    if (target_.empty() || !is_port)
      return refuse(output + " is no address", "give host and port, as in tcp://127.0.0.1:7000");
    Found found;
    if (int error = look_up(target_, port_, &found)) {
      *failure = {"can not find " + target_ + ": " + gai_strerror(error), "is the host's name right?"};
      return false;
    }
    for (const addrinfo *at = found.list; at && !request.allow_remote; at = at->ai_next)
      if (!is_loopback(at->ai_addr))
        return refuse(output + " is another machine: a trace tells much about a program",
                      "add --allow-remote if that is meant");
  } else {
    target_ = output.empty() ? others_ : output;
    struct stat there;
    bool is_there = stat(target_.c_str(), &there) == 0;
    kind_ = is_there && (S_ISFIFO(there.st_mode) || S_ISCHR(there.st_mode)) ? Kind::fifo : Kind::file;
  }
  bool streams =
      kind_ == Kind::standard_output || kind_ == Kind::fifo || kind_ == Kind::unix_socket || kind_ == Kind::tcp;
  if (drop_ && !streams) return refuse("--drop is for pipes and sockets: a file is always waited for", "leave it out");
  if (kind_ == Kind::standard_output && isatty(STDOUT_FILENO))
    return refuse("a trace is not for a terminal", "pipe it on, or use -o text");
  return true;
}

std::unique_ptr<Sink> Destination::open_file(const std::string &path, Failure *failure) {
  auto file = std::make_unique<TraceFile>();
  int error = file->create(path);
  if (!error) return file;
  *failure = {"can not write " + path + ": " + strerror(error), "choose another place with -o"};
  return nullptr;
}

std::unique_ptr<Sink> Destination::open_fifo(Failure *failure) {
  int fd = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd >= 0) return std::make_unique<TraceStream>(fd, target_, drop_ ? most_silence_ms : 0);
  *failure = {"can not write " + target_ + ": " + strerror(errno), "choose another place with -o"};
  return nullptr;
}

std::unique_ptr<Sink> Destination::open_live(Failure *failure) {
  std::unique_ptr<Sink> keep;
  if (!keep_.empty() && !(keep = open_file(keep_, failure))) return nullptr;
  int data;
  dprof_live_control *control;
  if (int error = open_live_trace(target_, &data, &control)) {
    *failure = {"can not pass the trace on in memory: " + std::string(strerror(error)), "start it with dprof run"};
    return nullptr;
  }
  return std::make_unique<LiveTrace>(data, control, std::move(keep));
}

std::unique_ptr<Sink> Destination::connect_to(Failure *failure) {
  int error = 0, fd = -1;
  auto attempt = [&](int family, const sockaddr *address, socklen_t length) {
    fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, address, length) == 0) return true;
    error = errno;
    if (fd >= 0) close(fd);
    fd = -1;
    return false;
  };
  if (kind_ == Kind::unix_socket) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, target_.data(), target_.size());
    attempt(AF_UNIX, (const sockaddr *)&address, sizeof address);
  } else {
    Found found;
    look_up(target_, port_, &found);
    for (const addrinfo *at = found.list; at; at = at->ai_next)
      if (attempt(at->ai_family, at->ai_addr, at->ai_addrlen)) break;
  }
  if (fd >= 0) return std::make_unique<TraceStream>(fd, spelled_, drop_ ? most_silence_ms : 0);
  *failure = {"can not connect to " + spelled_ + ": " + strerror(error), "start the reader before the recording"};
  return nullptr;
}

std::unique_ptr<Sink> Destination::open(const std::string &suffix, Failure *failure) {
  bool is_main = suffix.empty();
  switch (kind_) {
    case Kind::file: return open_file(target_ + suffix, failure);
    case Kind::standard_output:
      if (!is_main) return open_file(others_ + suffix, failure);
      return std::make_unique<TraceStream>(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "standard output",
                                           drop_ ? most_silence_ms : 0);
    case Kind::fifo: return is_main ? open_fifo(failure) : open_file(others_ + suffix, failure);
    case Kind::unix_socket:
    case Kind::tcp: return connect_to(failure);
    case Kind::null: return std::make_unique<NullSink>();
    case Kind::live:
      if (is_main) return open_live(failure);
      if (keep_.empty() && folder_.empty()) return std::make_unique<NullSink>();
      if (keep_.empty()) mkdir(folder_.c_str(), 0700);
      return open_file(others_ + suffix, failure);
    case Kind::text:
      return open_text(target_.empty() && is_main ? "" : (target_.empty() ? others_ : target_) + suffix, failure);
    case Kind::plugin: return open_plugin(target_, others_, failure);
  }
  return nullptr;
}

bool Destination::tell_others(const std::vector<std::string> &names) {
  if (kind_ != Kind::live || folder_.empty() || names.empty()) return true;
  mkdir(folder_.c_str(), 0700);
  FILE *list = fopen((folder_ + "/list").c_str(), "we");
  if (!list) return false;
  for (const std::string &name : names) fprintf(list, "%s%c", name.c_str(), 0);
  return fclose(list) == 0;
}

std::unique_ptr<Sink> Destination::open_main(Failure *failure) { return open("", failure); }

std::unique_ptr<Sink> Destination::open_other(pid_t pid, unsigned image, Failure *failure) {
  return open("." + std::to_string(pid) + (image > 1 ? "." + std::to_string(image) : ""), failure);
}

} // namespace dprof
