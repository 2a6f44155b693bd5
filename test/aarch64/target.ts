// Stage: test. DPROF_TARGET=aarch64: what programs are compiled for, and what runs them. DPROF_BUILD is then
// build/aarch64/emulated (scripts/aarch64.sh), whose recorder runs itself and the program under qemu. The proof beside
// this file runs other tests so.

import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
export const SYSROOT = resolve(ROOT, 'build/aarch64/sysroot');
export const EMULATED = resolve(ROOT, 'build/aarch64/emulated');
export const CROSS = ['--target=aarch64-linux-gnu', `--sysroot=${SYSROOT}`, '-fuse-ld=lld-19'] as const;
export const QEMU = ['qemu-aarch64-static', '-L', SYSROOT] as const;

const isCross = process.env.DPROF_TARGET === 'aarch64';
/** For clang and dprof-cc. */
export const TARGET_FLAGS: readonly string[] = isCross ? CROSS : [];
/** In front of a program that was compiled with them, where no recorder starts it. */
export const RUNNER: readonly string[] = isCross ? QEMU : [];
