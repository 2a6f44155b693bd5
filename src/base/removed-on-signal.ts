// Stage: any. A folder of this process that is gone as well when a signal ends it.

import { existsSync, renameSync, rmSync } from 'node:fs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Until what this returns is called. The folder need not be there yet. */
export function removeOnSignal(folder: string): () => void {
  const release = (): void => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals): void => {
    release();
    const removed = `${folder}.removed`; // under another name, threads that still write there make no more files
    try {
      if (existsSync(folder)) renameSync(folder, removed);
      rmSync(removed, { recursive: true, force: true, maxRetries: 5 });
    } finally {
      process.kill(process.pid, signal);
    }
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return release;
}
