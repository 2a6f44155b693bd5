#!/bin/sh
# node_modules from package-lock.json, unless it is there; says how many packages npm has fetched.
set -eu
cd "$(dirname "$0")/.."
[ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ] || exit 0
steps_of=setup
. scripts/steps.sh
steps_live=false # apt shows its line at the same time
log=$(mktemp)
trap 'rm -f "$log" "$log.failed" "$steps_file"' EXIT
step 'npm packages (npm ci)'
# What is for this system; npm fetches no others.
all=$(node -p '
  const fits = (list, own) => !list || list.includes(own);
  const { packages } = JSON.parse(fs.readFileSync("package-lock.json", "utf8"));
  const isOurs = ({ os, cpu, libc }) => fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, "glibc");
  Object.entries(packages).filter(([path, own]) => path && isOurs(own)).length')
fetched=0
{ npm ci --no-audit --no-fund --loglevel http 2>&1 || touch "$log.failed"; } | tee "$log" |
  while read -r line; do
    case $line in
    *'fetch GET 200'*.tgz*)
      fetched=$((fetched + 1))
      [ "$fetched" -gt "$all" ] || step_at "$fetched" "$all" ''
      ;;
    esac
  done
if [ -e "$log.failed" ]; then
  grep -v '^npm http' "$log" >&2
  exit 1
fi
touch node_modules/.package-lock.json
