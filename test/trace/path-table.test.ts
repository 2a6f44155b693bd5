// The last path number that a catalog has, and the first that it does not have.

import { expect, it } from 'vitest';
import { buildCatalog } from '../../src/trace/catalog-builder.js';
import { PATHS_PER_ENTRY } from '../../src/trace/layout.js';
import { PathTable, type RefusePath } from '../../src/trace/path-table.js';
import { addRegion } from '../drawn/region-builder.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { writeUnit } from './unit-writer.js';

const refuse: RefusePath = (expected, actual) => {
  throw new Error(`${expected}: ${actual}`);
};

it('a path behind those of the last region is refused, whatever region it would be of', () => {
  const builder = new UnitBuilder();
  const record = builder.record('segment', [builder.slot('load')]);
  addRegion(builder.unit, [{ records: [record] }]);
  const catalog = buildCatalog([
    { number: 0, path: 'm', buildId: '', offset: 0, globals: [], units: writeUnit(builder.unit) },
  ]);
  const paths = new PathTable(catalog);
  const last = catalog.regions.count * PATHS_PER_ENTRY - 1;
  expect(paths.find(0, refuse).records).toEqual([0]);
  expect(() => paths.find(last, refuse)).toThrow(`a path of the 1 of region 0: ${last}`);
  expect(() => paths.find(last + 1, refuse)).toThrow(`below ${last + 1}, as the MODULE chunks have: ${last + 1}`);
  expect(() => paths.find(-1, refuse)).toThrow(`below ${last + 1}, as the MODULE chunks have: -1`);
});
