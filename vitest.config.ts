import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', ...(process.env.DPROF_PROOFS === '1' ? ['test/**/*.proof.ts'] : [])],
    globalSetup: ['test/temporary-folder.ts'],
    // Tests are of replays; those of kept profiles ask for them. What a command says does not depend on how slow it is.
    env: { DPROF_CACHE: '0', DPROF_PROGRESS: '0', DPROF_LLVM: process.env.DPROF_LLVM ?? '19' },
    // For tests that hang: a machine that others use may be many times slower.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // One more than the smallest machine has cores: many tests wait for a program, or for a browser. More only wait.
    maxWorkers: 3,
    // A process runs one file after the other: starting anew for each is a tenth of all.
    isolate: false,
    reporters: process.env.CI ? ['default', './scripts/closing-line-reporter.mjs'] : ['default'],
  },
});
