// Stage: advice -> text. What CachePerf's rule says of a finding, in one sentence.

import { formatCount } from '../base/format-number.js';
import type { CacheperfVerdict } from '../advise/cacheperf-verdict.js';
import { WINDOW } from '../what-if/cacheperf-columns.js';

export function spellCacheperf(verdict: CacheperfVerdict | undefined): string {
  if (verdict === undefined) return '';
  const { class: own, origin, misses, windows, conflictWindows, trueSharing, falseSharing } = verdict;
  if (own === null) return ` CachePerf's rule: none (no instruction has ${WINDOW} misses there).`;
  const ofWindows = `${formatCount(conflictWindows)} of ${formatCount(windows)} windows of ${WINDOW} misses`;
  if (own === 'capacity') return ` CachePerf's rule: capacity (conflicts in ${ofWindows}).`;
  const invalidations = `${formatCount(trueSharing + falseSharing)} invalidations beside ${formatCount(misses)} misses`;
  const seen = own === 'conflict' ? ofWindows : invalidations;
  return ` CachePerf's rule: ${own.replace('-', ' ')}, the ${origin}'s (${seen}).`;
}
