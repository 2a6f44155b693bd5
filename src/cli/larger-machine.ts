// Stage: command line. The second machine that changes are tried on, if only one is asked for: with larger caches.

import type { CacheLevel } from '../contract/machine.js';
import { nameMachines } from '../machine/machine-names.js';
import type { MachineRequest } from '../machine/parse-machine.js';
import { spellSize } from '../machine/sizes.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import { machinesFor } from './replay-trace.js';

/** Of caches beside those of a machine that is asked for, if they are larger; else these are doubled. */
const LARGER = { l1: { sizeBytes: 48 << 10, ways: 12 }, l2: { sizeBytes: 2 << 20, ways: 16 } };

/** Changes must help with larger caches, too; the LLC stays larger than the L2. */
export function withLarger(
  trace: OpenedTrace,
  asked: readonly MachineRequest[],
): { readonly requests: readonly MachineRequest[]; readonly names: readonly string[] } {
  const names = nameMachines(asked);
  if (asked.length > 1) return { requests: asked, names };
  const [machine] = machinesFor(trace, asked);
  const [l1, l2] = (['l1', 'l2'] as const).map((level) =>
    isToDouble(machine[level], LARGER[level]) ? doubled(machine[level]) : LARGER[level],
  );
  let { llc } = machine as { llc: Geometry };
  while (llc.sizeBytes <= l2.sizeBytes) llc = doubled(llc);
  const larger = {
    l1: spellGeometry(l1),
    l2: spellGeometry(l2),
    ...(llc !== machine.llc && { llc: spellGeometry(llc) }),
  };
  const sizes = Object.values(larger);
  const last = sizes.pop()!;
  return {
    requests: [asked[0], { ...asked[0], ...larger }],
    names: [...names, `${names[0]} with ${sizes.join(', ')} and ${last}`],
  };
}

/** A tree has a power of two of ways. */
function isToDouble({ sizeBytes, policy }: CacheLevel, larger: Geometry): boolean {
  return sizeBytes >= larger.sizeBytes || (policy === 'tree-plru' && (larger.ways & (larger.ways - 1)) !== 0);
}

type Geometry = Pick<CacheLevel, 'sizeBytes' | 'ways'>;

function doubled({ sizeBytes, ways }: Geometry): Geometry {
  return { sizeBytes: sizeBytes * 2, ways: ways * 2 };
}

function spellGeometry({ sizeBytes, ways }: Geometry): string {
  return `${spellSize(sizeBytes)}/${ways}`;
}
