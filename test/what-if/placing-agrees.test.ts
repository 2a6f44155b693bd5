// The native engine surveys and places as the specification does: the same tables, and traces that replay to the same
// numbers, wherever objects and their bytes go.

import { closeSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { DprofError } from '../../src/base/dprof-error.js';
import type { Catalog } from '../../src/contract/catalog.js';
import type { ReplayInput } from '../../src/contract/input.js';
import { replayNativelyOn } from '../../src/replay/native-engine.js';
import { WHOLE, type Excerpts } from '../../src/what-if/excerpts.js';
import { ALL_ROWS, movableRecords, OTHER, type LoopChanges } from '../../src/what-if/loop-change.js';
import { placeNatively, surveyNatively } from '../../src/what-if/native-placing.js';
import { ObjectLayout } from '../../src/what-if/object-layout.js';
import { placeTrace, type PlacedTrace } from '../../src/what-if/placed-trace.js';
import type { PlacedObjects } from '../../src/what-if/placed-objects.js';
import { survey } from '../../src/what-if/survey.js';
import type { SurveyedObjects } from '../../src/what-if/survey-columns.js';
import { NO_INDEX } from '../../src/base/ids.js';
import { COLD, NOWHERE, typeLayout, type Part, type TypeLayout } from '../../src/what-if/type-layout.js';
import { describeResult } from '../engine/compare-results.js';
import { Comparison } from '../fuzz/engines.js';
import { RandomCases } from '../random/random-case.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { atLength } from '../at-length.js';
import { inputOf, placedAll } from './placed-input.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_SEEDS ?? atLength(100, 1500));

const comparison = new Comparison([]);
afterAll(() => comparison.close());

function shuffled(random: RandomNumbers, count: number): number[] {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let at = count - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}

/** Pieces of the type in another order, some of them padding now. */
function randomType(random: RandomNumbers, oldBytes: number): TypeLayout {
  const piece = random.pick([1, 4, 8, 16]);
  const order = shuffled(random, Math.ceil(oldBytes / piece));
  const room = order.length * piece + random.below(3) * 8;
  const isPadding = order.map(() => random.chance(5));
  const at = Int32Array.from({ length: oldBytes }, (_, byte) => {
    const from = Math.floor(byte / piece);
    return isPadding[from] ? NOWHERE : order[from] * piece + (byte % piece);
  });
  const parts = new Map<number, Part[]>();
  for (let begin = 0; begin < oldBytes; begin += piece)
    if (random.chance(20) && begin + piece <= oldBytes)
      parts.set(begin, [
        { bytes: piece, at: order[begin / piece] * piece, newBytes: piece },
        ...(random.chance(50) && piece > 1 ? [{ bytes: piece / 2, at: 0, newBytes: piece }] : []),
      ]);
  const isSplit = random.chance(50);
  if (isSplit) {
    for (let byte = 0; byte < oldBytes; byte++)
      if (at[byte] !== NOWHERE && Math.floor(byte / piece) % 2 === 1) at[byte] += COLD;
    const pointerAt = random.chance(80) ? room : NOWHERE;
    return typeLayout(oldBytes, room + 8, at, new Map(), [NO_INDEX, NO_INDEX], {
      coldBytes: room,
      pointerAt,
      isPerThread: random.chance(30),
    });
  }
  return typeLayout(oldBytes, room, at, parts);
}

function randomWay(random: RandomNumbers, { count, address, sizeBytes }: SurveyedObjects): PlacedObjects {
  const made: PlacedObjects = {
    address: new Float64Array(count).fill(Number.NaN),
    layout: new Uint32Array(count),
    layouts: [],
    cold: Float64Array.from({ length: count }, (_, object) => 0x20_0000_0000 + object * 65536),
    threadStride: 64 * random.below(1000),
  };
  const layouts: ObjectLayout[] = [];
  for (let object = 0; object < count; object++) {
    if (random.chance(40)) continue;
    made.address[object] = random.chance(50) ? address[object] : 0x10_0000_0000 + object * 65536 + random.below(64) * 8;
    if (random.chance(80) || sizeBytes[object] > 4096) continue;
    const oldBytes = Math.min(sizeBytes[object], 1 + random.below(64));
    const head = random.chance(30) ? Math.min(sizeBytes[object] - oldBytes, 8) : 0;
    const layout = oldBytes === 0 ? null : ObjectLayout.of(randomType(random, oldBytes), sizeBytes[object], head);
    if (layout !== null) made.layout[object] = layouts.push(layout);
  }
  return { ...made, layouts };
}

function excerptsOf(random: RandomNumbers): Excerpts {
  const kept = 1 + random.below(50);
  return random.chance(70) ? WHOLE : { kept, period: kept + random.below(100) };
}

/** Some of the records that may change places are loops. */
function randomLoops(random: RandomNumbers, catalog: Catalog): LoopChanges | null {
  if (random.chance(50)) return null;
  const tileOf = movableRecords(catalog).map((tile) => (tile === OTHER && random.chance(60) ? random.below(2) : tile));
  const [rows, columns] = [1 + random.below(4), 1 + random.below(3)];
  return {
    tiles: [
      { rows, columns },
      { rows: ALL_ROWS, columns: 1 },
    ],
    tileOf,
  };
}

async function outcomeOf(input: ReplayInput, place: () => PlacedTrace | Promise<PlacedTrace>): Promise<unknown> {
  let placed: PlacedTrace | undefined;
  try {
    placed = await place();
    const result = describeResult(replayNativelyOn(inputOf(input, placed), [], 1)[0]);
    const { split, pointerLoads, moved, variants } = placed;
    const records = variants.records.map(({ slots, ...record }) => ({ ...record, slots: Array.from(slots) }));
    return { split, pointerLoads, moved, slots: variants.slots, records, result };
  } catch (error) {
    if (error instanceof DprofError) return error.message;
    throw error;
  } finally {
    if (placed) closeSync(placed.descriptor);
  }
}

test(`${SEEDS} random cases, with objects in other places`, async () => {
  const cases = new RandomCases();
  let [placed, refused, split, pointerLoads, moved, parts] = [0, 0, 0, 0, 0, 0];
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const input = comparison.input(cases.at(seed));
    const random = new RandomNumbers(seed);
    const found = survey(input, excerptsOf(random));
    expect(await surveyNatively(input, excerptsOf(new RandomNumbers(seed))), `seed ${seed}`).toEqual(found);
    const way = { placed: randomWay(random, found.objects), loops: randomLoops(random, input.catalog) };
    const excerpts = excerptsOf(random);
    const expected = await outcomeOf(input, () => placeTrace(input, way.placed, excerpts, way.loops));
    expect(
      await outcomeOf(input, async () => placedAll((await placeNatively(input, [way], excerpts))[0])),
      `seed ${seed}`,
    ).toEqual(expected);
    if (typeof expected === 'string') refused++;
    else {
      placed++;
      split += (expected as PlacedTrace).split;
      pointerLoads += (expected as PlacedTrace).pointerLoads;
      moved += (expected as PlacedTrace).moved;
      parts += (expected as { records: { part: number }[] }).records.filter(({ part }) => part > 0).length;
    }
  }
  // an atomic or a vector that is torn apart ends most of the others
  if (SEEDS >= 100)
    expect([placed > SEEDS / 8, ...[refused, split, pointerLoads, moved, parts].map((count) => count > 0)]).toEqual(
      Array(6).fill(true),
    );
});
