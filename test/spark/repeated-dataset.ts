// A dataset so many times, for jobs that must last.

import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface RepeatedManifest {
  readonly rows: number;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/** The same files under other names. */
export function repeatDataset(of: string, times: number, to: string): RepeatedManifest {
  const manifest = JSON.parse(readFileSync(join(of, 'manifest.json'), 'utf8')) as RepeatedManifest;
  const files = Array.from({ length: times }, (_, time) =>
    manifest.files.map(({ path, bytes }) => {
      const again = join(`time-${time}`, path);
      mkdirSync(dirname(join(to, again)), { recursive: true });
      linkSync(join(of, path), join(to, again));
      return { path: again, bytes };
    }),
  );
  const whole = { ...manifest, rows: manifest.rows * times, files: files.flat() };
  writeFileSync(join(to, 'manifest.json'), JSON.stringify(whole));
  return whole;
}
