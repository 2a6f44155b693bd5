// Stage: HTML page. The data profile: a row for each type.

import { serversOf } from '../../src/replay/machine.js';
import type { DataProfile, DataProfileRow } from '../../src/views/data-profile.js';
import {
  averageColumn,
  bytesColumn,
  countColumn,
  flagColumn,
  nameColumn,
  shareColumn,
  type Column,
} from '../columns.js';
import { element } from '../elements.js';
import { linkToType } from '../links.js';
import { SERVER_NAMES } from '../servers.js';
import { buildTable } from '../table.js';
import type { PageDefinition } from './page-definition.js';

const misses = (level: string): string[] => [`misses.${level}.loads`, `misses.${level}.stores`];
const REFERENCES = ['references.loads', 'references.stores'];

export const dataProfile: PageDefinition = {
  id: 'data-profile',
  title: 'Data profile',
  group: 'Data',
  needs: ['data-profile'],
  async render({ report }) {
    const view = await report.view<DataProfile>('data-profile');
    const columns: Column<DataProfileRow>[] = [
      nameColumn('type', 'type', { link: linkToType, width: 30 }),
      countColumn('L1 misses', misses('l1')),
      shareColumn('of all', misses('l1'), ['totals.levels.l1.misses'], view, { meaning: "of all types' L1 misses" }),
      shareColumn('miss rate', misses('l1'), REFERENCES, view, { meaning: 'L1 misses of references' }),
      countColumn('references', REFERENCES),
      countColumn('loads', 'references.loads'),
      countColumn('stores', 'references.stores'),
      countColumn('L2 misses', misses('l2')),
      countColumn('LLC misses', misses('llc')),
      ...serversOf(view.machine)
        .filter((server) => server !== 'l1')
        .map((server) =>
          countColumn<DataProfileRow>(SERVER_NAMES[server], `servedBy.${server}`, {
            meaning: 'references that were served from there',
          }),
        ),
      averageColumn('cycles', 'averageLatencyCycles', { meaning: 'average latency of a reference', width: 8 }),
      averageColumn('miss cycles', 'averageMissLatencyCycles', {
        meaning: 'average latency of an access that missed the L1, per L1 miss',
        width: 10,
      }),
      countColumn('live', 'liveObjects', { meaning: 'most objects that were alive at one time', width: 9 }),
      bytesColumn('working set', 'workingSetBytes', { meaning: 'time-weighted average of the bytes of live objects' }),
      flagColumn('bounce', 'bounce', { meaning: 'some object was referenced by another core than the one before' }),
      flagColumn('write-shared', 'writeShared', {
        meaning: 'some line was referenced by two cores, one of them storing',
        width: 11,
      }),
      countColumn('transfers', 'transfers', {
        meaning: 'references to a line whose previous reference came from another core',
      }),
      flagColumn('order-bound', 'orderBound', { meaning: 'recorded locks decided which core came first', width: 11 }),
      countColumn('before use', 'missesBeforeFirstUse', {
        meaning: 'L1 misses of stores before the first load of an object',
      }),
      countColumn('after use', 'missesAfterLastUse', {
        meaning: 'L1 misses of stores after the last load of an object',
      }),
      countColumn('freed elsewhere', 'freesOnOtherCore', {
        meaning: 'objects freed on another core than the one that allocated them',
        width: 13,
      }),
    ];
    return [
      element(
        'p',
        { class: 'lead' },
        'Types by L1 misses: how often each was referenced, what missed, who served it, and how much of it was alive. A heading sorts; a type leads to its fields.',
      ),
      buildTable(columns, view.rows, {
        caption: 'Data profile, a row for each type',
        rows: 'types',
        search: (row) => row.type,
        sortedBy: misses('l1').join('+'),
      }),
    ];
  },
};
