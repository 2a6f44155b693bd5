#!/bin/sh
# Stage: test. HAProxy without vtest: haproxy-checks.sh PROGRAM. It accepts its own example configurations and refuses a
# wrong one, and passes requests on to a server, its own statistics page; one line for each, "ok" or "not ok".
program=$1
work=$(mktemp -d)
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
say() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "not ok $2"; fi; }

"$program" -vv >"$work/version" 2>&1
say $? version
for file in tests/conf/*.cfg examples/*.cfg; do
  "$program" -c -f "$file" >"$work/out" 2>&1
  echo "ok $file ends with $?" # which of them this build accepts is for the comparison
done
echo 'frontend x' >"$work/wrong.cfg"
echo '  nonsense' >>"$work/wrong.cfg"
! "$program" -c -f "$work/wrong.cfg" >"$work/out" 2>&1
say $? "refuses a wrong configuration"

port=$((20000 + $$ % 20000))
cat >"$work/run.cfg" <<EOF
global
  nbthread 2
defaults
  mode http
  timeout client 5s
  timeout server 5s
  timeout connect 5s
frontend front
  bind 127.0.0.1:$port
  compression algo gzip
  compression type text/plain
  default_backend back
backend back
  server one 127.0.0.1:$((port + 1))
frontend inner
  bind 127.0.0.1:$((port + 1))
  http-request return status 200 content-type text/plain string "hello from inside" if { path_beg /hello }
  http-request return status 404
EOF
"$program" -f "$work/run.cfg" >"$work/log" 2>&1 &
server=$!
for try in 1 2 3 4 5 6 7 8 9 10; do
  curl -s "http://127.0.0.1:$port/hello" >/dev/null && break
  sleep 0.5
done
for i in $(seq 40); do
  [ "$(curl -s "http://127.0.0.1:$port/hello/$i")" = "hello from inside" ]
  say $? "request $i"
done
[ "$(curl -s --compressed "http://127.0.0.1:$port/hello")" = "hello from inside" ]
say $? "compressed request"
[ "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/other")" = 404 ]
say $? "missing page"
kill -TERM $server
wait $server
status=$?
[ $status = 0 ] || [ $status = 143 ]
say $? "ends when told"
