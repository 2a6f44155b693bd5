// The kernel's stores have a slot behind the program's, of a function of its own.

import { expect, it } from 'vitest';
import { buildCatalog } from '../../src/trace/catalog-builder.js';
import { addKernelSlot } from '../../src/trace/kernel-slot.js';
import { SIZE_DYNAMIC, SlotKind } from '../../src/trace/layout.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { writeUnit } from './unit-writer.js';

it('is a fill of any size, by the function (kernel); the slots of the program stay', () => {
  const builder = new UnitBuilder();
  builder.record('segment', [builder.slot('load'), builder.slot('store')]);
  const own = buildCatalog([
    { number: 0, path: 'm', buildId: '', offset: 0, globals: [], units: writeUnit(builder.unit) },
  ]);
  const { catalog, slot } = addKernelSlot(own);
  const { slots, functions } = catalog;
  expect([slot, slots.count, functions.count]).toEqual([own.slots.count, own.slots.count + 1, own.functions.count + 1]);
  expect([slots.kind[slot], slots.sizeBytes[slot]]).toEqual([SlotKind.fill, SIZE_DYNAMIC]);
  expect(functions.name[slots.function[slot]]).toBe('(kernel)');
  expect([...slots.function].slice(0, slot)).toEqual([...own.slots.function]);
  expect([...slots.kind].slice(0, slot)).toEqual([...own.slots.kind]);
});
