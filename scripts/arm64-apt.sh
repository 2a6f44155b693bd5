# Stage: build. arm64_apt FOLDER: apt for Debian's packages for arm64, with lists, archives and a state of their own in
# FOLDER, which this machine's package manager never sees. Sets APT_CONFIG.
arm64_apt() {
  mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial"
  touch "$1/status"
  cat >"$1/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Dir::State "$1/state";
Dir::Cache "$1/cache";
Dir::State::status "$1/status";
CONF
  export APT_CONFIG="$1/apt.conf"
  apt-get update -qq
}
