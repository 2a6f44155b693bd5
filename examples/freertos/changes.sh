#!/bin/sh
# What is changed in FreeRTOS 11.2.0's port to POSIX threads: changes.sh PORT. Each change is checked: status 1 if one
# does not apply.
set -eu
file=$1/port.c
change() { # change SED-COMMAND TEXT-AFTERWARDS
  sed -i "$1" "$file"
  grep -qF -- "$2" "$file" && return
  echo "run.sh: port.c is not as it was in FreeRTOS 11.2.0: a change does not apply" >&2
  echo "hint: see what became of it in $file, and mend examples/freertos/changes.sh" >&2
  exit 1
}

# The timer is a thread that sends SIGALRM to the running task's thread, at moments that the host chooses. In simulated
# time there is none: main.c's idle task sends it.
change 's/pthread_create( &hTimerTickThread,/if( ticks_are_real ) &/' 'if( ticks_are_real ) pthread_create('
change 's/pthread_join( hTimerTickThread,/if( ticks_are_real ) &/' 'if( ticks_are_real ) pthread_join('

# A task's stack is a block of FreeRTOS's heap, of which the port uses the first bytes only: the task's thread has a
# stack from the C library, 8 MiB and a page from the next. Then locals of all tasks are in the same sets of a small
# cache.
stack='iRet = pthread_attr_setstack( \&xThreadAttributes, pxEndOfStack, ulStackSize );'
change "s/^    thread->ev = event_create();/    $stack\\n    configASSERT( iRet == 0 );\\n&/" \
  'pthread_attr_setstack( &xThreadAttributes, pxEndOfStack'
