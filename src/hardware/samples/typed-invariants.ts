// Stage: hardware. What must hold of typed samples before anything counts with them: names, indices, sums.

import { RULES } from '../../contract/result.js';
import { areCounts, type Complain, isCount } from './table-invariants.js';
import { TYPED_OBJECTS, TYPED_ROWS, type SampledLives, type TypedSamples } from './typed-samples.js';

const MOST_FIELDS = 1 << 20;
const LIVES: readonly (keyof SampledLives)[] = [
  'allocations',
  'frees',
  'peakObjects',
  'peakBytes',
  'averageObjects',
  'averageBytes',
  'lifetimeNs',
  'sampledObjects',
  'bouncedObjects',
  'writeSharedObjects',
];
/** The largest sum over objects: 2^32 of them for 2^64 ns each. */
const MOST_LIVES = 2 ** 96;
/** The largest sum of squares: 2^32 samples of 2^64 events each. */
const MOST_SQUARES = 2 ** 160;

export function checkTyped(typed: TypedSamples, complain: Complain): void {
  const require = (holds: boolean, what: string, expected: string, actual: unknown): void => {
    if (!holds) complain(what, expected, JSON.stringify(actual)?.slice(0, 100) ?? 'nothing');
  };
  const { modules, places, types, rows, objects, events } = typed;
  for (const list of ['modules', 'places', 'types'] as const)
    require(Array.isArray(typed[list]), list, 'a list', typed[list]);
  for (const key of ['startNs', 'endNs', 'startStamp', 'endStamp'] as const)
    require(typeof typed[key] === 'string' &&
      /^\d{1,20}$/.test(typed[key]) &&
      BigInt(typed[key]) < 2n ** 64n, key, 'a whole number as text', typed[key]);
  for (const key of ['threads', 'cpus', 'mostObjects'] as const)
    require(isCount(typed[key]), key, 'a whole number', typed[key]);
  for (const key of ['untyped', 'notes'] as const) require(areCounts(typed[key]), key, 'counts', typed[key]);
  require(typeof typed.ended === 'string' &&
    (typed.trace === null || typeof typed.trace === 'string'), 'run', 'how it ended, and its trace or null', [
    typed.ended,
    typed.trace,
  ]);
  for (const module of modules)
    require(typeof module?.file === 'string' &&
      typeof module.buildId === 'string' &&
      /^[0-9a-f]*$/.test(module.buildId), 'module', 'a file and a build id', module);
  for (const place of places) {
    const isText = [place?.ip, place?.function, place?.within, place?.file].every((text) => typeof text === 'string');
    require(isText &&
      /^[0-9a-f]{1,16}$/.test(place.ip) &&
      isCount(place.line) &&
      isCount(place.column) &&
      isCount(place.offset) &&
      Number.isInteger(place.module) &&
      place.module >= -1 &&
      place.module < modules.length, 'place', `names, a position, and a module below ${modules.length}`, place);
  }
  for (const type of types) {
    require(typeof type?.name === 'string' &&
      RULES.includes(type.rule) &&
      isCount(type.bytes) &&
      Array.isArray(type.fields) &&
      type.fields.length <= MOST_FIELDS, 'type', 'a name, a rule, bytes and fields', type);
    for (const field of type.fields)
      require(typeof field?.path === 'string' &&
        isCount(field.offset) &&
        isCount(field.bytes), `field of ${type.name}`, 'a path, an offset and bytes', field);
    require(type.lives === null ||
      (typeof type.lives === 'object' &&
        LIVES.every(
          (name) => Number.isFinite(type.lives![name]) && type.lives![name] >= 0 && type.lives![name] <= MOST_LIVES,
        )), `lives of ${type.name}`, 'numbers, or null', type.lives);
  }
  require(types[0]?.name === '' && places[0]?.function === '', 'rows 0', 'untyped and unknown', [
    types[0]?.name,
    places[0]?.function,
  ]);
  const most = {
    type: types.length,
    place: places.length,
    event: events.length,
    allocatedAt: places.length,
    freedAt: places.length,
  };
  for (const [table, names] of [
    [rows, TYPED_ROWS],
    [objects, TYPED_OBJECTS],
  ] as const) {
    for (const name of Object.keys(names)) {
      const limit = most[name as keyof typeof most];
      const above =
        limit === undefined
          ? -1
          : (table[name as keyof typeof table] as Uint32Array).findIndex((value) => value >= limit);
      require(above === -1, `typed ${name}`, `below ${limit}`, above);
    }
  }
  const counted = new Float64Array(events.length);
  rows.event.forEach((event, row) => (counted[event] += rows.samples[row]));
  for (const [event, { samples }] of events.entries())
    require(counted[event] === samples, `samples of event ${event}`, `${samples}`, counted[event]);
  require(rows.samples.every((samples) => samples > 0), 'typed samples', 'at least one in each row', 0);
  for (const name of ['periodSquares', 'weightSquares'] as const) {
    const wrong = rows[name].findIndex((value) => !(value >= 0 && value <= MOST_SQUARES));
    require(wrong === -1, `typed ${name}`, 'a sum of squares', `${rows[name][wrong]}`);
  }
  const untyped = rows.type.reduce((sum, type, row) => (type === 0 ? sum + rows.samples[row] : sum), 0);
  const reasons = Object.values(typed.untyped).reduce((sum, count) => sum + count, 0);
  require(untyped === reasons, 'untyped samples', `${untyped}, one reason each`, reasons);
}
