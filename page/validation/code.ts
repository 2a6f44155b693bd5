// Stage: HTML page. The places of samples: code that was not instrumented, samples whose instruction does not touch
// what they say, and everything that has a type.

import { FOREIGN_TEXT } from '../../src/hardware/report/samples-validation-words.js';
import type { ForeignCode, SamplesValidation, TypedCount } from '../../src/hardware/validate/validate-samples.js';
import type { SkidRow } from '../../src/hardware/validate/skid.js';
import { formatCount, formatShare } from '../../src/base/format-number.js';
import { countColumn, nameColumn, siteColumn, wordsColumn } from '../columns.js';
import { element } from '../elements.js';
import type { PageDefinition } from '../pages/page-definition.js';
import { buildTable } from '../table.js';
import { plural } from '../../src/base/format-number.js';

const MOST_ROWS = 12;

export const sampledCode: PageDefinition = {
  id: 'code',
  title: 'Where samples are',
  group: 'Validation',
  needs: ['validate-samples'],
  async render({ report }) {
    const { counts, foreign, skid, typed, untyped } = await report.envelope<SamplesValidation>('validate-samples');
    const reasons = Object.entries(untyped).map(([reason, samples]) => ({ reason, samples }));
    return [
      element('h2', {}, 'Code that was not instrumented'),
      element(
        'p',
        {},
        `${formatCount(counts.foreign)} of ${plural(counts.all, 'sample')} (` +
          `${formatShare(counts.foreign, counts.all)}). The trace has nothing of it, so it has no part in shares.`,
      ),
      buildTable<ForeignCode>(
        [
          nameColumn('function', 'function'),
          siteColumn('module', 'module', { width: 24 }),
          wordsColumn('reason', 'why', ({ reason }) => FOREIGN_TEXT[reason], { width: 22 }),
          countColumn('samples', 'samples'),
        ],
        foreign,
        {
          caption: 'Samples in code that was not instrumented',
          rows: 'functions',
          search: (row) => `${row.function} ${row.module}`,
          height: MOST_ROWS,
        },
      ),
      element('h2', {}, 'Skid'),
      element(
        'p',
        {},
        `${formatCount(skid.skid)} of ${plural(skid.judged, 'sample')} (${formatShare(skid.skid, skid.judged)}` +
          `) say what no access of their function is to. ${formatCount(skid.line)} are at a line that accesses ` +
          `it, ${formatCount(skid.function)} at another line of its function. ${formatCount(skid.named)} are of a ` +
          'type that the trace names differently: they are not judged.',
      ),
      buildTable<SkidRow>(
        [
          nameColumn('type', 'type'),
          nameColumn('field', 'field', { width: 18 }),
          nameColumn('sampled in', 'function'),
          siteColumn('at', 'site'),
          countColumn('samples', 'samples'),
        ],
        skid.rows,
        { caption: 'Samples whose function has no access to what they say', rows: 'places', height: MOST_ROWS },
      ),
      element('h2', {}, 'Samples with a type'),
      buildTable<TypedCount>(
        [
          nameColumn('type', 'type'),
          nameColumn('field', 'field', { width: 18 }),
          nameColumn('function', 'function'),
          countColumn('samples', 'samples'),
        ],
        typed,
        {
          caption: 'Samples by type, field and function',
          rows: 'rows',
          search: (row) => `${row.type} ${row.function}`,
          height: MOST_ROWS,
        },
      ),
      ...(reasons.length === 0
        ? []
        : [
            element('h2', {}, 'Samples without one'),
            buildTable(
              [nameColumn<(typeof reasons)[number]>('why', 'reason'), countColumn('samples', 'samples')],
              reasons,
              { caption: 'Why samples have no type', rows: 'reasons' },
            ),
          ]),
    ];
  },
};
