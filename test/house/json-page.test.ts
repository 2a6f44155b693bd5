// Stage: test. docs/json.md lists the keys that rows have, and every view.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { joinSchedules } from '../../src/profile/schedule-table.js';
import { buildView, VIEW_NAMES } from '../../src/views/views.js';
import { handMadeFlowProfile } from '../profile/hand-made-flow.js';
import { countSchedule } from '../../src/profile/schedule-counts.js';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/json.md'), 'utf8');
const table = page.split('| view | keys of a row | page |')[1].split('\n\n')[0];
const documented = new Map(
  [...table.matchAll(/^\| `([a-z-]+)` \| (.*?) \| \[/gm)].map(([, view, keys]) => [
    view,
    [...keys.matchAll(/`(\w+)`/g)].map(([, key]) => key),
  ]),
);

const alone = handMadeFlowProfile();
const profile = { ...alone, schedules: joinSchedules([countSchedule(alone)]) };

test('every view is there', () => {
  expect([...documented.keys()].sort()).toEqual([...VIEW_NAMES].sort());
});

test.each(VIEW_NAMES)('%s: rows have the keys that the page lists, and no others', (name) => {
  const [row] = buildView(profile, name, {}).rows;
  expect(Object.keys(row as object).sort()).toEqual([...(documented.get(name) ?? [])].sort());
});
