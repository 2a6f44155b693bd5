// Stage: test. Debian's memcached under `dprof history`, its slabs described: items are watched from allocation to free
// on every worker, no element is lost, and what was taken is printed as DProf's tables 10, 11, 13, 14 and figure 4 do.
// Run as `node dist/test/real/histories.js [single|pairwise]`.
import { readHistories } from '../../src/hardware/histories/histories-reader.js';
import { viewHistories } from '../../src/hardware/histories/history-view.js';
import { conclude, DPROF, run, scratchFolder } from './real-program.js';
import { buildDescribedMemcached, watchMemcached } from './watched-memcached.js';

const program = buildDescribedMemcached();
const faults: string[] = [];
for (const cover of process.argv.length > 2 ? process.argv.slice(2) : ['single', 'pairwise']) {
  const file = `${scratchFolder()}/items.dphistories`;
  const status = await watchMemcached(program, 6000, [
    'history',
    '--quiet',
    '-o',
    file,
    '--type',
    'struct _stritem',
    '--cover',
    cover,
    '--one-in',
    '2',
  ]);
  if (status !== 0) faults.push(`${cover}: ended with status ${status}`);
  const view = viewHistories(readHistories(file));
  const [items] = view.collection;
  process.stdout.write(run([DPROF, 'report', file, '--top', '1']));
  if (items?.type !== 'struct _stritem' || items.bytes !== 48)
    faults.push(`${cover}: the type is ${items?.type}, of ${items?.bytes} bytes`);
  if (view.endings.free < 50) faults.push(`${cover}: ${view.endings.free} histories from allocation to free`);
  if (view.lost === null || Object.values(view.lost).some((count) => count > 0))
    faults.push(`${cover}: lost ${JSON.stringify(view.lost)}`);
  const functions = new Set(view.rows.flatMap(({ steps }) => steps.map((step) => step.function)));
  for (const name of ['do_item_alloc', 'do_item_link', 'do_item_get', 'do_item_unlink'])
    if (!functions.has(name)) faults.push(`${cover}: no path comes through ${name}`);
}
conclude('histories', faults);
