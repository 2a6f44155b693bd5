// Our source files: what formatters and the tests of the house look at. Programs that tests record are laid out by hand: tests know their lines.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const filesUnder = (folders, pattern) =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((file) => pattern.test(file))
      .map((file) => join(folder, file)),
  );

export const nativeSources = () => filesUnder(['engine', 'llvm-pass', 'runtime'], /[.](cpp|cc|c|h)$/);

export const typescriptSources = () => filesUnder(['src', 'page', 'workers', 'bench', 'test', 'examples'], /[.]ts$/);
