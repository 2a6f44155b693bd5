// A trace in memory as a file, until the test file that asked for it is done.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

let folder: string | undefined;
let count = 0;

afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

export function traceFile(bytes: Uint8Array): string {
  folder ??= mkdtempSync(join(tmpdir(), 'dprof-test-'));
  const path = join(folder, `${count++}.dptrace`);
  writeFileSync(path, bytes);
  return path;
}
