// Stage: test. `dprof history --popular`: what samples say is popular is watched, and said.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SamplesWriter } from '../../../src/hardware/samples/samples-writer.js';
import type { TypedSamples } from '../../../src/hardware/samples/typed-samples.js';
import { readHistories } from '../../../src/hardware/histories/histories-reader.js';
import { drawTypedSamples } from '../drawn-samples.js';
import { DPROF, run } from '../../cli/command-line.js';
import { build, describe, folder, REGISTERS_ARE_DENIED } from './history-programs.js';

function writeSamples(name: string, typed: TypedSamples, isTyped = true): string {
  const path = join(folder, name);
  const pieces: Buffer[] = [];
  new SamplesWriter({ write: (bytes: Buffer) => void pieces.push(Buffer.from(bytes)) }).finish(
    { run: typed.run, events: isTyped ? typed.events : [], lost: typed.lost, names: [], threads: [], mappings: [] },
    isTyped ? typed : undefined,
  );
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

const packet = (bytes: number) =>
  drawTypedSamples({
    types: [
      {
        name: 'struct packet',
        bytes,
        fields: [
          ['length', 0, 8],
          ['kind', 8, 4],
          ['state', 12, 4],
          ['sum', 16, 8],
          ['next', 24, 8],
        ].map(([path, offset, size]) => ({ path: path as string, offset: offset as number, bytes: size as number })),
      },
    ],
    rows: [
      { what: 'struct packet.kind', at: 'look packets.c:27', from: 'other-cache', samples: 5 },
      { what: 'struct packet.next', at: 'fill packets.c:22', op: 'store', from: 'L1', samples: 4 },
      { what: 'struct packet.length', at: 'look packets.c:26', samples: 3 },
    ],
  });

const history = (samples: string, ...flags: string[]) =>
  run(
    DPROF,
    'history',
    '-o',
    join(folder, 'popular.dphistories'),
    '--popular',
    samples,
    '--one-in',
    '1',
    ...flags,
    '--',
    build('packets.c'),
    '2',
    'plain',
  );

test.skipIf(REGISTERS_ARE_DENIED)(
  'the slots with most accesses of the type with most misses are watched, and nothing else',
  () => {
    const { status, stdout, stderr } = history(writeSamples('packet.dpsamples', packet(32)), '--top-slots', '2');
    expect([status, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n').map((line) => line.trimEnd());
    expect(lines.slice(1, 8)).toEqual([
      `watched: 1 of 1 sampled types, those of most L1 misses in ${join(folder, 'packet.dpsamples')}`,
      'type, slot     fields                samples  L1 misses  accesses  misses of them',
      '─────────────  ────────────────────  ───────  ─────────  ────────  ──────────────',
      'struct packet  2 of 3 sampled slots       12          5   360,000         100,000',
      '  24-31        next                        4          0   200,000               0',
      '  8-15         kind, state                 5          5   100,000         100,000',
      'all samples                               12          5   360,000         100,000',
    ]);
    const histories = readHistories(join(folder, 'popular.dphistories'));
    expect(histories.types.map(({ name, slots }) => ({ name, slots }))).toEqual([
      {
        name: 'struct packet',
        slots: [
          { offset: 8, bytes: 8 },
          { offset: 24, bytes: 8 },
        ],
      },
    ]);
    const each = [
      '8 kind, state fill own',
      '24 next fill own',
      ...Array.from({ length: 3 }, () => '8 kind, state look other'),
      '8 kind, state close_packet own',
    ];
    expect(describe(histories).map(({ accesses }) => accesses)).toEqual([each, each]);
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('samples of another build are refused', () => {
  const { status, stderr } = history(writeSamples('other.dpsamples', packet(40)), '--quiet');
  expect([status, stderr]).toEqual([
    1,
    'dprof: the samples are of another build: struct packet has 32 bytes, and 40 in the samples\nhint: take ' +
      'them again: dprof sample\n',
  ]);
});

test('what can not choose is refused before the program runs', () => {
  const untyped = writeSamples('untyped.dpsamples', packet(32), false);
  expect(history(untyped)).toEqual({
    status: 1,
    stdout: '',
    stderr:
      `dprof: ${untyped} has samples without types\nhint: dprof sample -o SAMPLES -- PROGRAM takes samples with ` +
      `their types\n`,
  });
  const typed = writeSamples('typed.dpsamples', packet(32));
  expect(history(typed, '--type', 'struct packet')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'dprof: --popular chooses types and slots, and so do --type and --field\nhint: give one or the other\n',
  });
  expect(history(typed, '--top-types', '0')).toMatchObject({
    status: 2,
    stdout: '',
    stderr: "dprof: --top-types: '0' is not a whole number from 1 to 64\nhint: for example --top-types 1\n",
  });
  const empty = writeSamples(
    'empty.dpsamples',
    drawTypedSamples({
      types: [{ name: 'int[]', bytes: 4 }],
      rows: [{ what: 'int[]', at: 'look packets.c:27', samples: 2 }],
    }),
  );
  expect(history(empty)).toEqual({
    status: 1,
    stdout: '',
    stderr:
      `dprof: ${empty} has no sample of a struct, union or class whose objects are allocated\nhint: name what to ` +
      `watch: --type 'struct packet'\n`,
  });
  const none = join(folder, 'none.dpsamples');
  expect(history(none)).toEqual({
    status: 1,
    stdout: '',
    stderr: `dprof: cannot read ${none} (ENOENT)\nhint: check the path\n`,
  });
});
