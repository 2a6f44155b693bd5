// Stage: test. MESSAGES is 10,000, SLOTS 64. Each side looks at tail and head once per message and once more after each
// wait, which the program counts and, given `--waits`, prints: P waits of the producer, C of the consumer.
//   head: 20,000 + P + C loads, 10,000 stores (producer). tail: as many loads, 10,000 stores (consumer).
//   ring.slots: one load per message on each side and one for free; one store in main.
//   message: number and square are stored once and loaded once per message.
//   main: pthread_join(producer) loads it; `--waits` loads producer_waits.
// A message is one line. The producer meets each of 64 lines for the first time once, the consumer too; every later
// message was written by the producer after the consumer last read its line, and nothing else fills these sets, so
// 10,000 - 64 loads are true sharing in any order.
import { expect } from 'vitest';
import { describeExample, leadingClass } from './example-suite.js';

describeExample({
  name: 'producer-consumer',
  arguments: ['--waits'],
  references: (stdout) => {
    const waits = /^waits (\d+) (\d+)$/m.exec(stdout) as RegExpExecArray;
    const looks = 20_000 + Number(waits[1]) + Number(waits[2]);
    return {
      'struct ring': { head: [looks, 10_000], tail: [looks, 10_000], slots: [20_001, 1] },
      'struct message': { number: [10_000, 10_000], square: [10_000, 10_000] },
      pthread_t: { producer: [1, 0] },
      'void *': { producer_waits: [1, 0] },
    };
  },
  finding: ({ row, sharing }) => {
    expect(row('struct message').levels.l1).toMatchObject({
      misses: 10_064,
      classes: { compulsory: 128, 'true-sharing': 9936, 'false-sharing': 0, conflict: 0, capacity: 0 },
    });
    expect(leadingClass(row('struct ring').levels.l1.classes)).toBe('true-sharing');
    const all = sharing.rows.filter((pair) => pair.missed.type === 'struct message');
    const cold = all.filter((pair) => pair.class === 'cold-sharing');
    expect(cold.reduce((sum, pair) => sum + pair.misses, 0)).toBe(64);
    for (const pair of cold)
      expect(pair).toMatchObject({ missed: { function: 'consume' }, writer: { function: 'produce' } });
    const pairs = all.filter((pair) => pair.class === 'true-sharing');
    expect(pairs.reduce((sum, pair) => sum + pair.misses, 0)).toBe(9936);
    for (const pair of pairs)
      expect(pair).toMatchObject({
        class: 'true-sharing',
        relation: 'same-object',
        missed: { function: 'consume', allocatedAt: 'examples/producer-consumer/producer-consumer.c:66' },
        writer: { function: 'produce', allocatedBy: 0 },
      });
  },
});
