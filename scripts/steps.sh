# Sourced by setup.sh and demo.sh: what a step is doing, how far it is, and at the end how long each took.
# On a terminal one line changes in place; elsewhere (CI, a log), and for what runs beside it, a line appears for each
# tenth of the way, and after ten seconds.
steps_file=$(mktemp)
steps_began=$(date +%s%3N)
steps_live=false
[ ! -t 2 ] || steps_live=true

# step_say TEXT: a line that stays.
step_say() {
  [ ! -t 2 ] || printf '\r\033[K' >&2
  printf '%s: %s\n' "$steps_of" "$1" >&2
}

# step NAME [quietly]: from now on. Quietly: nothing is said before it is known that there is something to do.
step() {
  step_name=$1 step_began=$(date +%s%3N) step_tenth=-1
  step_said=$step_began
  if [ -n "${2:-}" ]; then :
  elif $steps_live; then printf '\r\033[K%s: %s' "$steps_of" "$step_name" >&2
  else step_say "$step_name"
  fi
}

# step_at DONE ALL WHAT: how far the step is.
step_at() {
  if $steps_live; then
    printf '\r\033[K%s: %s %s/%s %.70s' "$steps_of" "$step_name" "$1" "$2" "$3" >&2
  elif [ $(($1 * 10 / $2)) -gt "$step_tenth" ] || [ $(($(date +%s%3N) - step_said)) -ge 10000 ]; then
    step_tenth=$(($1 * 10 / $2)) step_said=$(date +%s%3N)
    step_say "$step_name $1/$2 $3"
  fi
}

# step_wait PROCESS: the seconds so far, until this process of ours ends, as which it ends. In a log it speaks itself.
step_wait() {
  while kill -0 "$1" 2>/dev/null; do
    if $steps_live && [ $(($(date +%s%3N) - step_began)) -ge 2000 ]; then
      printf '\r\033[K%s: %s, %s s' "$steps_of" "$step_name" $((($(date +%s%3N) - step_began) / 1000)) >&2
    fi
    sleep 0.2
  done
  wait "$1"
}

# step_done: the step's time is noted, and said if it was long.
step_done() {
  step_took=$(($(date +%s%3N) - step_began))
  echo "$step_took $step_name" >>"$steps_file"
  if [ "$step_took" -ge 2000 ]; then
    step_say "$step_name: done in $((step_took / 1000)).$((step_took % 1000 / 100)) s"
  elif $steps_live; then printf '\r\033[K' >&2
  fi
}

# steps_summary: every step's time, and the whole time, which is less than their sum where steps ran beside each other.
steps_summary() {
  steps_took=$(($(date +%s%3N) - steps_began))
  if [ "$steps_took" -ge 2000 ]; then
    step_say 'how long each step took'
    while read -r took name; do
      printf '  %5d.%d s  %s\n' $((took / 1000)) $((took % 1000 / 100)) "$name"
    done <"$steps_file" >&2
    printf '  %5d.%d s  all of it\n' $((steps_took / 1000)) $((steps_took % 1000 / 100)) >&2
  fi
  rm -f "$steps_file"
}
