// Stage: any. A folder of this process that is gone as well when a signal ends it.

import { rmSync } from 'node:fs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Until what this returns is called. The folder need not be there yet. */
export function removeOnSignal(folder: string): () => void {
  const release = (): void => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals): void => {
    release();
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 }); // threads may still write there
    } finally {
      process.kill(process.pid, signal);
    }
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return release;
}
