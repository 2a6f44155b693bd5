// Stage: test. The clang that programs are compiled with, plainly and by dprof-cc: DPROF_LLVM says which
// (vitest.config.ts says 19).

export const LLVM = Number(process.env.DPROF_LLVM ?? 19);

export const CLANG = `clang-${LLVM}`;
export const CLANGXX = `clang++-${LLVM}`;
/** It was called so up to 19. */
export const FLANG = `/usr/bin/${LLVM < 20 ? 'flang-new' : 'flang'}-${LLVM}`;
