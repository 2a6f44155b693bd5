// Stage: bench. `dprof html`: how large reports are, how long writing one takes, and how soon headless Chromium shows
// each page. Run by `npm run bench -- html`; DPROF_BENCH_ROWS are those of SQLite's workload.
import { statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import Table from 'cli-table3';
import { goTo, openReport, startChromium } from '../test/html/browser.js';
import { enlarge } from '../test/html/large-views.js';
import { smallViews, writeReport } from '../test/html/small-views.js';
import { buildSqlite, DPROF, DPROF_CC, realFolder, run, scratchFolder } from '../test/real/real-program.js';
import { sqliteWorkload } from '../test/real/sqlite-workload.js';
import { nameMachine } from './machine-name.js';
import { repetitions } from './measured-command.js';
import { formatSeconds, median } from './statistics.js';

const folder = scratchFolder();
const rows = Number(process.env.DPROF_BENCH_ROWS ?? 20_000);

function timed(act: () => void): number {
  const start = performance.now();
  act();
  return (performance.now() - start) / 1000;
}

function sqliteReport(): { path: string; written: number } {
  const [program, workload, trace, profile, path] = [
    buildSqlite(DPROF_CC, 'sqlite3-dprof', ['-g']),
    ...['workload.sql', 'sqlite.dptrace', 'sqlite.dprofile', 'sqlite.html'].map((name) => resolve(folder, name)),
  ];
  writeFileSync(workload, sqliteWorkload(rows));
  run([DPROF, 'record', '-o', trace, '--', program, ':memory:', `.read ${workload}`]);
  run([DPROF, 'replay', trace, '-o', profile]);
  return {
    path,
    written: timed(() =>
      run([DPROF, 'html', profile, '-o', path, '--source-path', resolve(realFolder('sqlite3'), 'amalgamation')]),
    ),
  };
}

function largeReport(): { path: string; written: number } {
  const views = enlarge(smallViews(folder), { types: 5000, pathsPerType: 20 });
  const path = resolve(folder, 'large.html');
  return { path, written: timed(() => void writeReport(path, views)) };
}

const reports = {
  [`SQLite, ${rows} rows, with its source`]: sqliteReport(),
  '5,000 types, 100,000 paths': largeReport(),
};
const browser = await startChromium();
const table = new Table({ head: ['report', 'size', 'written', 'usable', 'slowest page'] });
for (const [name, { path, written }] of Object.entries(reports)) {
  const usable: number[] = [];
  const slowest = { page: '', seconds: 0 };
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const start = performance.now();
    const { page } = await openReport(browser, path);
    usable.push((performance.now() - start) / 1000);
    for (const link of await page.locator('nav a').all()) {
      const begin = performance.now();
      await goTo(page, (await link.getAttribute('href'))!);
      const seconds = (performance.now() - begin) / 1000;
      if (seconds > slowest.seconds) Object.assign(slowest, { page: await link.textContent(), seconds });
    }
    await page.close();
  }
  table.push([
    name,
    `${(statSync(path).size / 1e6).toFixed(1)} MB`,
    formatSeconds(written),
    formatSeconds(median(usable)),
    `${slowest.page}, ${formatSeconds(slowest.seconds)}`,
  ]);
}
await browser.close();
process.stdout.write(`${nameMachine()}\n${table.toString()}\n`);
