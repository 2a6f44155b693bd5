// Stage: test. Atomics wider than any instruction are calls of libatomic; what they do to the object is recorded all
// the same.
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { build, FOLDER, ROOT } from './recorded.js';
import { outputOf } from '../cli/command-client.js';

test.each(['-O0', '-O2'])(
  'a load is one, a store, an exchange and a compare-and-exchange are a store each (%s)',
  (level) => {
    const libatomic = join(FOLDER, 'libatomic.so'); // without gcc's folder, the linker knows it by its version only
    symlinkSync('/usr/lib/x86_64-linux-gnu/libatomic.so.1', `${libatomic}${level}`);
    const program = build('wide-atomics.c', ['-w', level, `${libatomic}${level}`]);
    const trace = join(FOLDER, 'wide-atomics.dptrace');
    const [address, result] = execFileSync(join(ROOT, 'bin/dprof'), ['record', '-o', trace, '--', program], {
      encoding: 'utf8',
    })
      .trim()
      .split(' ');
    expect(result).toBe('7');
    const object = parseInt(address!, 16);
    const dump = outputOf(['dump', '--references', trace]);
    // A copy is cut where lines of its source end, and the source of a store is on the stack.
    const found: { kind: string; from: number; to: number }[] = [];
    for (const [, kind, at, bytes] of dump
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '))) {
      const from = parseInt(at!, 16) - object;
      const last = found.at(-1);
      if (from < 0 || from >= 24) continue;
      if (last?.kind === kind && last.to === from) last.to += Number(bytes);
      else found.push({ kind: kind!, from, to: from + Number(bytes) });
    }
    expect(found).toEqual(['w', 'r', 'w', 'w'].map((kind) => ({ kind, from: 0, to: 24 })));
  },
);
