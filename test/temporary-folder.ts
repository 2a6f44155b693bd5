// Stage: test. A folder that is gone when this process is.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

export function makeTemporaryFolder(name: string): string {
  if (folders.length === 0)
    process.on('exit', () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });
  const folder = mkdtempSync(join(tmpdir(), `dprof-${name}-`));
  folders.push(folder);
  return folder;
}
