// Stage: test. A resampling of a run of twelve types that never was: every sampler's samples drawn by a seed, from
// shares that are its own.

import { Draws } from '../../src/order/draws.js';
import { compareSamples, type Resampling } from '../../src/hardware/validate/resample.js';
import { SAMPLER_KINDS } from '../../src/hardware/validate/samplers.js';

const NAMES = [
  'struct packet',
  'struct skb<"evil&\'>',
  'int',
  'char[]',
  'struct conn',
  'ns::Tree<int>',
  'struct a',
  'struct b',
  'struct c',
  'struct d',
  'struct rare',
  'struct rarer',
];

/** Each type has half as many references as the one before; the first type misses rarely. */
export function drawResampling(samples: number): Resampling {
  const share = (type: number): number => 2 ** -(type + 1);
  const rows = NAMES.map((type, index) => {
    const references = Math.round(1e6 * share(index));
    const misses = Math.round(references * (index === 0 ? 0.001 : 0.05));
    return {
      type,
      references: { loads: references, stores: 0 },
      misses: { l1: { loads: misses, stores: 0 }, l2: { loads: 0, stores: 0 }, llc: { loads: 0, stores: 0 } },
      servedBy: {
        l1: references - misses,
        l2: misses - Math.floor(misses / 2),
        llc: 0,
        cache: Math.floor(misses / 2),
        memory: 0,
      },
      averageLatencyCycles: 4 + 10 * (misses / references),
    };
  });
  const samplers = SAMPLER_KINDS.map(({ name, skids, loadsOnly }, number) => {
    const draws = new Draws(number + 1);
    const type = Uint32Array.from({ length: loadsOnly ? samples / 2 : samples }, () => {
      const drawn = Math.min(NAMES.length - 1, Math.floor(-Math.log2((draws.below(1 << 20) + 0.5) / (1 << 20))));
      // A skid takes a fifth of the first type's samples to the second.
      return skids && drawn === 0 && draws.below(5) === 0 ? 1 : drawn;
    });
    const isMiss = Uint8Array.from(type, (one) => Number(draws.below(1000) < (one === 0 ? 1 : 50)));
    return {
      sampler: name,
      events: 1e6,
      period: 1e6 / type.length,
      type,
      latency: Float64Array.from(isMiss, (missed) => (missed ? 14 : 4)),
      isMiss,
      isTransfer: isMiss.map((missed, sample) => missed & (sample % 2)),
      weight: new Float64Array(type.length).fill(1),
    };
  });
  return compareSamples(rows, { types: NAMES, samplers }, { trace: '/tmp/a run.dptrace', seed: 1, skid: 10 });
}
