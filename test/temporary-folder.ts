// Stage: test. Folders that are gone when all tests have passed; after a failure they stay, to be looked at.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

export function makeTemporaryFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `dprof-${name}-`));
}

/** Vitest calls it before all tests, and what it returns after them. */
export default function setTemporaryFolder({ vitest }: TestProject): () => void {
  const root = makeTemporaryFolder('tests');
  chmodSync(root, 0o755); // some programs run as another user
  process.env.TMPDIR = root;
  // Node reads these certificates whenever it starts: more than half of a short command's time.
  delete process.env.NODE_EXTRA_CA_CERTS;
  return () => {
    if (vitest.state.getCountOfFailedTests() === 0) rmSync(root, { recursive: true, force: true });
    else process.stderr.write(`what the tests wrote is in ${root}\n`);
  };
}
