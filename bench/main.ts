// Stage: bench. `npm run bench`: every table, or those that are named: record (recording several programs), simulators
// (the same programs under valgrind's), replay (replaying them), run (running them live, beside cachegrind),
// instructions (what the native engine runs for a reference and for a miss), replay-memory (what a replay has in
// memory), sqlite (recording and replaying one), values (what values and arguments add), memory (what recording adds),
// compile (what dprof-cc costs a build), html (how large a report is, and how soon it can be used), check (dprof check
// beside recording), hardware (importing samples, traces held against debug registers, samples drawn from traces),
// advise (what dprof advise says of programs of which the answer is known), advise-cost (what dprof advise takes of
// runs of 10^8 references), changes (changes to real programs, predicted, made in the source and recorded again, and
// run), stream (kernels and SQL over every reference, beside a replay), shards (a replay in parts, beside one), scale
// (what 10^12 references take on 100 machines), blocks (basic blocks, measured: how right, how fast, how steady),
// block-tables (those of Debian's programs: what can be measured, and what models say of them).
const tables = [
  'record',
  'simulators',
  'replay',
  'run',
  'instructions',
  'replay-memory',
  'sqlite',
  'values',
  'memory',
  'compile',
  'html',
  'check',
  'hardware',
  'advise',
  'advise-cost',
  'changes',
  'stream',
  'shards',
  'scale',
  'blocks',
  'block-tables',
];
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !tables.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`bench: there is no table ${unknown}; there are ${tables.join(', ')}\n`);
  process.exitCode = 2;
} else {
  for (const name of asked.length > 0 ? asked : tables) await import(`./${name}.js`);
}
