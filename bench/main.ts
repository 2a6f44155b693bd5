// Stage: bench. `npm run bench`: every table, or those that are named: sqlite (recording and replaying one program), record (recording several).
const tables = ['record', 'sqlite'];
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !tables.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`bench: there is no table ${unknown}; there are ${tables.join(' and ')}\n`);
  process.exitCode = 2;
} else {
  for (const name of asked.length > 0 ? asked : tables) await import(`./${name}.js`);
}
