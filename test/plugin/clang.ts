// Stage: test. The clang that programs are compiled with, plainly and by dprof-cc: DPROF_LLVM says which (vitest.config.ts
// says 19).

const version = process.env.DPROF_LLVM ?? '19';

export const CLANG = `clang-${version}`;
export const CLANGXX = `clang++-${version}`;
