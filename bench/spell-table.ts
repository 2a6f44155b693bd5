// Stage: bench. Rows -> a table for a terminal, or with DPROF_BENCH_MARKDOWN=1 as the docs have it.
import Table from 'cli-table3';

export function spellTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (process.env.DPROF_BENCH_MARKDOWN === '1') {
    const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
    return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
  }
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}
