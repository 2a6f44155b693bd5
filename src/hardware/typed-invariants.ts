// Stage: hardware. What must hold of typed samples before anything counts with them: names, indices, sums.

import { RULES } from '../replay/result.js';
import { TYPED_OBJECTS, TYPED_ROWS, type TypedSamples } from './typed-samples.js';

const MOST_FIELDS = 1 << 20;

export type Complain = (what: string, expected: string, actual: string) => never;

export function checkTyped(typed: TypedSamples, complain: Complain): void {
  const require = (holds: boolean, what: string, expected: string, actual: unknown): void => {
    if (!holds) complain(what, expected, JSON.stringify(actual)?.slice(0, 100) ?? 'nothing');
  };
  const { modules, places, types, rows, objects, events } = typed;
  for (const list of ['modules', 'places', 'types'] as const) require(Array.isArray(typed[list]), list, 'a list', typed[list]);
  for (const key of ['startNs', 'endNs', 'startStamp', 'endStamp'] as const) require(/^\d{1,20}$/.test(typed[key]), key, 'a whole number as text', typed[key]);
  for (const key of ['threads', 'cpus', 'mostObjects'] as const) require(isCount(typed[key]), key, 'a whole number', typed[key]);
  for (const key of ['untyped', 'notes'] as const) require(typed[key] !== null && typeof typed[key] === 'object' && Object.values(typed[key]).every(isCount), key, 'counts', typed[key]);
  for (const module of modules) require(typeof module?.file === 'string' && /^[0-9a-f]*$/.test(module.buildId), 'module', 'a file and a build id', module);
  for (const place of places) {
    const isText = [place?.ip, place?.function, place?.within, place?.file].every((text) => typeof text === 'string');
    require(isText && isCount(place.line) && isCount(place.column) && isCount(place.offset) && Number.isInteger(place.module) && place.module >= -1 && place.module < modules.length, 'place', `names, a position, and a module below ${modules.length}`, place);
  }
  for (const type of types) {
    require(typeof type?.name === 'string' && RULES.includes(type.rule) && isCount(type.bytes) && Array.isArray(type.fields) && type.fields.length <= MOST_FIELDS, 'type', 'a name, a rule, bytes and fields', type);
    for (const field of type.fields) require(typeof field?.path === 'string' && isCount(field.offset) && isCount(field.bytes), `field of ${type.name}`, 'a path, an offset and bytes', field);
    require(type.lives === null || (typeof type.lives === 'object' && Object.values(type.lives).every((value) => Number.isFinite(value) && value >= 0)), `lives of ${type.name}`, 'numbers, or null', type.lives);
  }
  require(types[0]?.name === '' && places[0]?.function === '', 'rows 0', 'untyped and unknown', [types[0]?.name, places[0]?.function]);
  const most = { type: types.length, place: places.length, event: events.length, allocatedAt: places.length, freedAt: places.length };
  for (const [table, names] of [[rows, TYPED_ROWS], [objects, TYPED_OBJECTS]] as const) {
    for (const name of Object.keys(names)) {
      const limit = most[name as keyof typeof most];
      const above = limit === undefined ? -1 : (table[name as keyof typeof table] as Uint32Array).findIndex((value) => value >= limit);
      require(above === -1, `typed ${name}`, `below ${limit}`, above);
    }
  }
  for (const [event, { samples }] of events.entries()) {
    const counted = rows.event.reduce((sum, of, row) => (of === event ? sum + rows.samples[row] : sum), 0);
    require(counted === samples, `samples of event ${event}`, `${samples}`, counted);
  }
  const untyped = rows.type.reduce((sum, type, row) => (type === 0 ? sum + rows.samples[row] : sum), 0);
  const reasons = Object.values(typed.untyped).reduce((sum, count) => sum + count, 0);
  require(untyped === reasons, 'untyped samples', `${untyped}, one reason each`, reasons);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
