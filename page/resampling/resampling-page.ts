// Stage: HTML page. The parts that all pages of a resampling share: its data, and the choice of the measure and of the
// sampler.

import { measuresOf, type Resampling, type ResampledType } from '../../src/hardware/validate/resample.js';
import type { Measure } from '../../src/hardware/validate/sampled-shares.js';
import { MEASURE_TEXT } from '../../src/hardware/report/resample-words.js';
import { choice } from '../elements.js';
import type { PageDefinition } from '../pages/page-definition.js';

export const VIEW = 'resample';

export interface ResamplingContext {
  readonly data: Resampling;
  readonly measure: Measure;
  readonly sampler: string;
  /** The types as `measure` compares them. */
  readonly rows: readonly ResampledType[];
  readonly controls: Readonly<Record<'measure' | 'sampler', HTMLElement>>;
}

export interface ResamplingPage extends Pick<PageDefinition, 'id' | 'title' | 'group'> {
  readonly render: (context: ResamplingContext) => readonly Node[];
}

export function resamplingPage({ render, ...named }: ResamplingPage): PageDefinition {
  return {
    ...named,
    needs: [VIEW],
    async render({ report, words, go }) {
      const data = await report.view<Resampling>(VIEW);
      const names = data.samplers.map((one) => one.sampler);
      const measures = measuresOf(data);
      const measure = measures.find((one) => one === words.get('of')) ?? measures[0];
      const sampler = names.find((one) => one === words.get('sampler')) ?? names[0];
      const ask = (changed: Readonly<Record<string, string>>): void => go({ ...Object.fromEntries(words), ...changed });
      const controls = {
        measure: choice(
          'shares of',
          measures.map((one) => [one, MEASURE_TEXT[one]] as const),
          measure,
          (of) => ask({ of }),
        ),
        sampler: choice(
          'sampler',
          names.map((one) => [one, one] as const),
          sampler,
          (one) => ask({ sampler: one }),
        ),
      };
      return render({ data, measure, sampler, rows: data.rows.filter((row) => row.measure === measure), controls });
    },
  };
}
