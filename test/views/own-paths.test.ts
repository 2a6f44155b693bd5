// Stage: test. Paths of a profile with the program's own frames: steps that become one, and paths that do.

import { expect, test } from 'vitest';
import { NO_INDEX } from '../../src/base/ids.js';
import { SERVERS } from '../../src/contract/machine.js';
import { FlowRows, type StepRow } from '../../src/profile/flow-rows.js';
import type { Flow } from '../../src/profile/flow.js';
import { SiteBuilder, StringBuilder } from '../../src/profile/name-tables.js';
import type { Profile } from '../../src/profile/profile.js';
import { SITE_IN_SYSTEM } from '../../src/profile/tables.js';
import { withFrames } from '../../src/views/frames.js';
import { ownPaths } from '../../src/views/own-paths.js';
import { firstSteps } from '../../src/views/path-traces.js';

const strings = new StringBuilder();
const sites = new SiteBuilder(strings);

/** "at vector.h:9 < main m.c:3": innermost first; files of the library are vector.h. */
function site(text: string): number {
  return text.split(' < ').reduceRight((caller, frame) => {
    const [name, place] = frame.split(' ');
    const [file, line] = place.split(':');
    const flags = file === 'vector.h' ? SITE_IN_SYSTEM : 0;
    return sites.intern(name, file, Number(line), 0, { flags, receiver: NO_INDEX, caller });
  }, 0);
}

/** "place" or "place core" if the step changes core; each with one reference, at these bytes and this time. */
function step(text: string, begin: number, time: number): StepRow {
  const place = text.replace(' (core)', '');
  return {
    site: text === 'cut' ? NO_INDEX : site(place),
    changesCore: place === text ? 0 : 1,
    served: SERVERS.map((_, at) => (at === 0 ? 1 : 0)),
    latencyCycles: 4,
    time,
    beginOffset: begin,
    endOffset: begin + 8,
  };
}

function drawn(paths: readonly { allocated: string; freed: string; steps: readonly string[] }[], by: Flow['by']) {
  const rows = new FlowRows('run');
  for (const { allocated, freed, steps } of paths)
    rows.addRows([
      {
        kind: 0,
        type: 0,
        variable: NO_INDEX,
        site: site(allocated),
        end: 1,
        freeSite: site(freed),
        flags: 0,
        lives: 1,
        lifetime: 100,
        steps: steps.map((text, at) => step(text, 8 * at, 10 * at)),
      },
    ]);
  const frozen = strings.freeze();
  const { table, renumber } = sites.freeze(frozen);
  const flow = rows.freeze(
    { by, mostPaths: 100, mostSteps: 64 },
    { type: (n) => n, site: (n) => renumber[n], string: (n) => n },
  );
  const none = new Uint32Array();
  const objects = { address: none, site: none, type: none, kind: none };
  const objectCounters = { object: none, counter: none, value: none };
  const types = { family: none };
  const profile = { strings: frozen.table, sites: table, types, objects, objectCounters, flow };
  return { profile: profile as unknown as Profile, flow };
}

/** Each path: allocation, steps with references, bytes and time, free; and its lives. */
function spell(profile: Profile, flow: Flow): string[] {
  const name = (at: number): string => (at === NO_INDEX ? 'cut' : profile.strings[profile.sites.function[at]]);
  const first = firstSteps(flow);
  const { paths, steps } = flow;
  return Array.from(paths.lives, (lives, row) =>
    [
      `${lives} ${name(paths.site[row])}:`,
      ...Array.from({ length: paths.steps[row] }, (_, index) => {
        const at = first[row] + index;
        const references = steps.served.subarray(at * SERVERS.length, (at + 1) * SERVERS.length)[0];
        const core = steps.changesCore[at] === 1 ? '*' : '';
        const bytes = `${steps.beginOffset[at]}-${steps.endOffset[at]}`;
        return `${name(steps.site[at])}${core} ${references} ${bytes} @${steps.time[at]},`;
      }),
      name(paths.freeSite[row]),
    ].join(' '),
  );
}

const PATHS = [
  {
    allocated: 'allocate vector.h:5 < main m.c:3',
    freed: 'deallocate vector.h:6 < main m.c:9',
    steps: ['at vector.h:9 < main m.c:4', 'main m.c:4', 'at vector.h:9 < main m.c:4 (core)', 'cut'],
  },
  {
    allocated: 'allocate vector.h:5 < grow vector.h:7 < main m.c:3',
    freed: 'deallocate vector.h:6 < clear vector.h:8 < main m.c:9',
    steps: ['main m.c:4', 'at vector.h:9 < main m.c:4 (core)', 'cut'],
  },
  {
    allocated: 'allocate vector.h:5 < main m.c:3',
    freed: 'deallocate vector.h:6 < main m.c:9',
    steps: ['at vector.h:9 < use u.c:4 < main m.c:4', 'at vector.h:9 < main m.c:4'],
  },
];

test('steps that are then in one place on one core are one, and paths that then read the same', () => {
  for (const by of ['function', 'line'] as const) {
    const { profile, flow } = drawn(PATHS, by);
    expect(spell(profile, ownPaths(profile, flow)).sort()).toEqual([
      '1 main: use 1 0-8 @0, main 1 8-16 @10, main',
      // 0, 10 and 0: the times of the first references; cut at 30 and 20.
      '2 main: main 3 0-16 @0, main* 2 8-24 @30, cut 2 16-32 @50, main',
    ]);
  }
});

test('with --innermost, and of accesses, the places of steps stay', () => {
  const { profile, flow } = drawn(PATHS, 'function');
  const innermost = withFrames(profile, { innermost: true });
  expect(spell(innermost, ownPaths(innermost, flow)).sort()).toEqual([
    '1 allocate: at 1 0-8 @0, main 1 8-16 @10, at* 1 16-24 @20, cut 1 24-32 @30, deallocate',
    '1 allocate: at 2 0-16 @0, deallocate',
    '1 allocate: main 1 0-8 @0, at* 1 8-16 @10, cut 1 16-24 @20, deallocate',
  ]);
  const accesses = drawn(PATHS.slice(2), 'ip');
  expect(spell(accesses.profile, ownPaths(accesses.profile, accesses.flow))).toEqual([
    '1 main: at 1 0-8 @0, at 1 8-16 @10, main',
  ]);
});

test('a library of --library is passed over', () => {
  const { profile, flow } = drawn(PATHS.slice(2), 'function');
  const within = withFrames(profile, { libraries: ['u.c'] });
  expect(spell(within, ownPaths(within, flow))).toEqual(['1 main: main 2 0-16 @0, main']);
});
