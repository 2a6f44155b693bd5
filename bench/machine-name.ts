// Stage: bench. Names the machine that numbers were taken on.
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

export function nameMachine(): string {
  const processors = cpus();
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  const virtual = /^flags\s*:.*\bhypervisor\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'))
    ? ', a virtual machine'
    : '';
  return (
    `${processors[0].model.trim()}, ${processors.length} cores, ${memoryGiB} GiB${virtual}; Linux ${release()}; ` +
    `Node ${process.version}`
  );
}
