import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    reporters: process.env.CI ? ['default', './scripts/closing-line-reporter.mjs'] : ['default'],
  },
});
