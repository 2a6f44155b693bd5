// Stage: bench. Programs -> what running them under cachegrind and lackey costs beside running them, of short runs. Run
// by `npm run bench -- simulators`; lackey takes minutes for one program. DPROF_BENCH_ONLY names programs.
import { spawnSync } from 'node:child_process';
import Table from 'cli-table3';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, ratio, seconds } from './measured-command.js';
import { formatSeconds, times } from './statistics.js';
import { make, wantedWorkloads } from './workloads.js';

const valgrind = (tool: string, ...more: string[]): string[] => ['valgrind', `--tool=${tool}`, ...more];

if (spawnSync('valgrind', ['--version']).status !== 0) {
  process.stdout.write('simulators: valgrind is not installed\n');
} else {
  const table = new Table({ head: ['program', 'native', 'cachegrind', 'lackey'], style: { head: [], border: [] } });
  for (const program of wantedWorkloads()) {
    process.stderr.write(`${program.name} ...\n`);
    const readable = [make(program, 'dwarf4'), ...program.short];
    const { native, cachegrind, lackey } = await measureInterleaved(
      {
        native: [make(program, 'plain'), ...program.short],
        cachegrind: [...valgrind('cachegrind', '--cache-sim=yes', '--cachegrind-out-file=/dev/null'), ...readable],
        lackey: [...valgrind('lackey', '--trace-mem=yes', '--log-file=/dev/null'), ...readable],
      },
      1,
    );
    table.push([
      program.name,
      formatSeconds(seconds(native)),
      times(ratio(cachegrind, native, 'seconds')),
      times(ratio(lackey, native, 'seconds')),
    ]);
  }
  process.stdout.write(`${nameMachine()}\none run of each\n${table.toString()}\n`);
}
