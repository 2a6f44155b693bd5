// A trace in memory as a file, for as long as the test process lives.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;
let count = 0;

export function traceFile(bytes: Uint8Array): string {
  if (folder === undefined) {
    const created = mkdtempSync(join(tmpdir(), 'dprof-test-'));
    process.on('exit', () => rmSync(created, { recursive: true, force: true }));
    folder = created;
  }
  const path = join(folder, `${count++}.dptrace`);
  writeFileSync(path, bytes);
  return path;
}
