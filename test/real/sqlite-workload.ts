// Stage: test. A number of rows -> SQL for SQLite's shell: inserts, look-ups by key and by index, joins, sorts, updates
// and deletes, the same every time. The text goes to a file that the shell is told to `.read`.

/** Statements that the parser sees one by one; the rest of the rows come from `INSERT ... SELECT`. */
const SINGLE_INSERTS_SHARE = 50;

function rowsFrom(first: number, last: number): string {
  return `WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`;
}

/** `rounds`: how often the queries run; more of them make the run longer and its memory no larger. */
export function sqliteWorkload(rows: number, rounds = 1): string {
  const customers = Math.ceil(rows / 10);
  const singles = Math.ceil(rows / SINGLE_INSERTS_SHARE);
  const single = (i: number): string =>
    `INSERT INTO orders VALUES (${rows + i}, ${(i * 7919) % customers}, ${i % 365}, ${(i * 31) % 1000}, ` +
    `'single ${i}');`;
  const queries = [
    `${rowsFrom(1, Math.ceil(rows / 2))} SELECT count(*), sum(amount) FROM n JOIN orders ON orders.id = i * ` +
      `7919 % ${rows};`,
    `${rowsFrom(1, Math.ceil(rows / 10))} SELECT count(*), sum(amount) FROM n JOIN orders ON orders.customer = ` +
      `i * 31 % ${customers};`,
    'SELECT region, count(*), sum(amount), max(day) FROM orders JOIN customer ON customer.id = orders.customer ' +
      'GROUP BY region ORDER BY region;',
    'SELECT name, sum(amount) AS total FROM customer JOIN orders ON orders.customer = customer.id GROUP BY ' +
      'name ORDER BY total DESC, name LIMIT 5;',
    'SELECT id, note FROM orders ORDER BY note, id LIMIT 5;',
    'SELECT day, amount, count(*) FROM orders WHERE day BETWEEN 100 AND 130 GROUP BY day, amount ORDER BY ' +
      'count(*) DESC, day, amount LIMIT 5;',
  ];
  return [
    'CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, region INTEGER, credit INTEGER);',
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, day INTEGER, amount INTEGER, note TEXT);',
    'BEGIN;',
    `${rowsFrom(0, customers - 1)} INSERT INTO customer SELECT i, 'customer ' || i * 7919 % 100003, i % 17, i ` +
      '* 31 % 5000 FROM n;',
    `${rowsFrom(0, rows - 1)} INSERT INTO orders SELECT i, i * 7919 % ${customers}, i % 365, i * 104729 % ` +
      `1000, 'order ' || i * 7919 % 100003 FROM n;`,
    ...Array.from({ length: singles }, (_, i) => single(i)),
    'COMMIT;',
    'CREATE INDEX orders_by_customer ON orders (customer);',
    'CREATE INDEX orders_by_day ON orders (day, amount);',
    ...Array.from({ length: rounds }, () => queries).flat(),
    'UPDATE orders SET amount = amount + 1 WHERE day % 7 = 3;',
    'DELETE FROM orders WHERE day = 200;',
    'SELECT count(*), sum(amount), min(note), max(note) FROM orders;',
    '',
  ].join('\n');
}
