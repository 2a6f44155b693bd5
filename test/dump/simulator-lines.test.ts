// Accesses in the formats that other simulators read. Lines of 64 bytes; thread 0 on core 0, thread 1 on core 1:
//
//   core 0                              core 1
//   R 0x1000:4
//                                       W 0x1ffc:8      # in two lines
//   A 0x7fff00001008:8
//   copy 0x2010:100 < 0x3020            # pieces of 32, 64, 4 bytes as the source's lines have them

import { expect, test } from 'vitest';
import { dumpReferences, type ReferenceOptions } from '../../src/dump/reference-text.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { dprof, makeFolder, saveTrace } from '../cli/command-line.js';
import { parseDrawing } from '../drawn/drawing.js';
import { drawnTrace } from '../drawn/drawn-trace.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';

const LOGICAL = { kind: 'logical' } as const;
const DRAWN = drawnTrace(
  parseDrawing(`
  core 0                          core 1
  R @1000:4
                                  W @1ffc:8
  A @7fff00001008:8
  copy @2010:100 < @3020:100
`),
  {},
);

function dump(
  trace: Uint8Array,
  options: ReferenceOptions,
  machine = { ...randomMachine(1), cores: 2, coresPerLlc: 2, lineBytes: 64 },
): string[] {
  const parts: string[] = [];
  dumpReferences(
    replayInput(openTrace(traceFile(trace)), machine, LOGICAL),
    (bytes) => parts.push(Buffer.from(bytes).toString('latin1')),
    options,
  );
  return parts.join('').split('\n').slice(0, -1);
}

test('din has a label, an address and, behind them, a size; what crosses lines is one line of text for each', () => {
  expect(dump(DRAWN, { format: 'din' })).toEqual([
    '0 1000 4',
    '1 1ffc 4',
    '1 2000 4',
    '1 7fff00001008 8',
    '0 3020 20',
    '1 2010 20',
    '0 3040 40',
    '1 2030 10',
    '1 2040 30',
    '0 3080 4',
    '1 2070 4',
  ]);
});

test('lackey has accesses as they are: L, S and, for an atomic, M', () => {
  expect(dump(DRAWN, { format: 'lackey' })).toEqual([
    ' L 00001000,4',
    ' S 00001ffc,8',
    ' M 7fff00001008,8',
    ' L 00003020,32',
    ' S 00002010,32',
    ' L 00003040,64',
    ' S 00002030,64',
    ' L 00003080,4',
    ' S 00002070,4',
  ]);
});

test('one core of several', () => {
  expect(dump(DRAWN, { format: 'lackey', core: 1 })).toEqual([' S 00001ffc,8']);
  expect(dump(DRAWN, { core: 0 })).toEqual(dump(DRAWN, {}).filter((line) => line.startsWith('0 ')));
  expect(dump(DRAWN, { core: 1 })).toEqual(['1 w 1ffc 8']);
});

/**
 * A cache of one level, from what the format's manual says: each line is one access, what stands behind the address is
 * a comment.
 */
function countMisses(lines: readonly string[], sets: number, ways: number, lineBytes: number): number {
  const recent = Array.from({ length: sets }, (): number[] => []);
  let misses = 0;
  for (const text of lines) {
    const line = Math.floor(parseInt(text.slice(2).split(' ')[0], 16) / lineBytes);
    const set = recent[line % sets];
    const at = set.indexOf(line);
    if (at < 0) misses++;
    if (at >= 0 || set.length === ways) set.splice(Math.max(at, 0), 1);
    set.push(line);
  }
  return misses;
}

test('each line of din is one reference, and a cache that reads nothing else misses as often', () => {
  for (let seed = 1; seed <= 10; seed++) {
    const trace = randomTrace(seed, { actions: 150 });
    const machine = { ...randomMachine(seed), cores: 1, coresPerLlc: 1 };
    const lines = dump(trace, { format: 'din' }, machine);
    const { totals } = simulate(replayInput(openTrace(traceFile(trace)), machine, LOGICAL));
    const { l1, lineBytes } = machine;
    expect(
      [lines.length, countMisses(lines, l1.sizeBytes / l1.ways / lineBytes, l1.ways, lineBytes)],
      `seed ${seed}`,
    ).toEqual([totals.references, totals.misses[0]]);
  }
});

test('the command line has both formats and one core, and says what is wrong with them', () => {
  const path = saveTrace(makeFolder(), 'drawn.dptrace', DRAWN);
  expect(dprof('dump', path, '--references', '--lackey', '--core', '1')).toEqual({
    status: 0,
    stdout: ' S 00001ffc,8\n',
    stderr: '',
  });
  expect(dprof('dump', path, '--references', '--din', '--core', '1')).toEqual({
    status: 0,
    stdout: '1 1ffc 4\n1 2000 4\n',
    stderr: '',
  });
  expect(dprof('dump', path, '--references', '--core', '2')).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'dprof: --core 2: the machine has 2 cores, 0 to 1\nhint: threads are placed in creation order, modulo --cores\n',
  });
  expect(dprof('dump', path, '--references', '--core', '-1').stderr).toBe(
    "dprof: --core: '-1' is not a whole number\nhint: for example --core 0\n",
  );
  expect(dprof('dump', path, '--din')).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'dprof: --din does nothing for a trace as it is in the file\nhint: add --references: accesses in replay order\n',
  });
  expect(dprof('dump', path, '--references', '--values', '--lackey').stderr).toBe(
    'dprof: --lackey and --values are two formats\nhint: ask for one of them\n',
  );
});
