// A trace in memory as a file, until the test process ends.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../temporary-folder.js';

let folder: string | undefined;
let count = 0;

export function traceFile(bytes: Uint8Array): string {
  folder ??= makeTemporaryFolder('traces');
  const path = join(folder, `${count++}.dptrace`);
  writeFileSync(path, bytes);
  return path;
}
