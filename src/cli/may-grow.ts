// Stage: command line. A running program -> whether it may still start a thread or a process, or load a module: whether
// anything in it has a name to call that does so. In doubt it may.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { neededNames } from './elf-symbols.js';

/** Libraries that call such functions only if another module asks them to. They are known by these names. */
const LIBRARIES = /^(ld-linux|ld-musl|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libdprof_runtime)[.-]/;
const GROWING =
  /^(dlopen|dlmopen|pthread_create|thrd_create|clone|__clone|clone3|syscall|timer_create|mq_notify|lio_listio|getaddrinfo_a|aio_.*|v?fork|_Fork|forkpty|daemon|posix_spawnp?|popen|system|f?exec[vl]p?e?|execveat|wordexp|_ZNSt6thread.*)(64)?$/;

/** Every instrumented module calls it when it is loaded. */
const REGISTERS = /^__dprof_register_module/;

/** `modules`: so many of the program's have come. */
export function mayGrow(pid: number, modules: number): boolean {
  try {
    const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
    const files = new Set(lines.flatMap((line) => /^\S+ ..x. \S+ \S+ [1-9]\d* +(.*)$/.exec(line)?.[1] ?? []));
    const names = [...files].filter((path) => !LIBRARIES.test(basename(path))).map((path) => neededNames(path) ?? []);
    const loaded = names.filter((needed) => needed.some((name) => REGISTERS.test(name))).length;
    return files.size === 0 || modules < Math.max(1, loaded) || names.some(canGrow);
  } catch {
    return true; // it has ended, is another user's, or a file is gone
  }
}

function canGrow(needed: readonly string[]): boolean {
  // one that needs nothing has the C library in itself
  return needed.length === 0 || needed.some((name) => GROWING.test(name));
}
