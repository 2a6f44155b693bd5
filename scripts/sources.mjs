// Our source files: what formatters and the tests of the house look at. Programs that tests record are laid out by
// hand: tests know their lines.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const filesUnder = (folders, pattern) =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((file) => pattern.test(file) && !file.includes('node_modules/'))
      .map((file) => join(folder, file)),
  );

export const nativeSources = () => filesUnder(['engine', 'llvm-pass', 'runtime'], /[.](cpp|cc|c|h)$/);

/** Scripts, and what tells tools how to build and look at the rest. */
export const otherSources = () => [
  '.clang-tidy',
  'CMakeLists.txt',
  'vitest.config.ts',
  ...filesUnder(
    ['engine', 'examples', 'llvm-pass', 'runtime', 'scripts', 'test'],
    /[.](sh|mjs|mts|py)$|CMakeLists[.]txt$/,
  ),
  ...filesUnder(['test'], /[.](cpp|cc|c|h)$/).filter((file) => !file.includes('/programs/')),
];

export const typescriptSources = () => filesUnder(['src', 'page', 'workers', 'bench', 'test', 'examples'], /[.]ts$/);
