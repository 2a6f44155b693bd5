// Stage: HTML page. Which of the largest types would not be among the largest that samples show, by measure, sampler
// and period.

import { MEASURE_TEXT } from '../../src/hardware/report/resample-words.js';
import { measuresOf, TABLE_ONE_IN } from '../../src/hardware/validate/resample.js';
import { MOST_FINDINGS, type Accuracy } from '../../src/hardware/validate/sampled-shares.js';
import { countColumn, wordsColumn } from '../columns.js';
import { element } from '../elements.js';
import { spellName } from '../names.js';
import { buildTable } from '../table.js';
import { resamplingPage } from './resampling-page.js';

interface LostRow extends Accuracy {
  readonly sampler: string;
  readonly of: string;
  readonly oneIn: number;
}

export const lost = resamplingPage({
  id: 'lost',
  title: 'Findings lost',
  group: 'Report',
  render: ({ data }) => {
    const rows = measuresOf(data).flatMap((measure) =>
      data.samplers.flatMap(({ sampler, curve }) =>
        curve
          .filter(({ oneIn }) => TABLE_ONE_IN.includes(oneIn))
          .map(({ oneIn, measures }): LostRow => ({ sampler, of: MEASURE_TEXT[measure], oneIn, ...measures[measure] })),
      ),
    );
    return [
      element(
        'p',
        { class: 'lead' },
        `A finding is one of the ${MOST_FINDINGS} types with the largest exact share. It is lost where it is ` +
          `not among the ${MOST_FINDINGS} with the largest share of the samples. Longer periods are every 10th, ` +
          '100th and 1000th sample.',
      ),
      buildTable(
        [
          wordsColumn<LostRow>('of', 'largest by', ({ of }) => of, { width: 18 }),
          wordsColumn<LostRow>('sampler', 'sampler', ({ sampler }) => sampler),
          countColumn('times the period', 'oneIn'),
          countColumn('samples', 'samples', { meaning: 'that say something of it' }),
          countColumn('lost', 'lost.length'),
          wordsColumn<LostRow>('lost', 'which', ({ lost: names }) => names.map(spellName).join(', '), { width: 90 }),
        ],
        rows,
        {
          caption: 'Findings lost, by measure, sampler and period',
          rows: 'rows',
          search: ({ of, sampler, lost: names }) => [of, sampler, ...names].join(' '),
        },
      ),
    ];
  },
});
