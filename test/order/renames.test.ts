// Renamed memory as drawings: rows are recorded time. "work 40" holds a thread back, so that the order comes to the
// other one's allocation before the free that was recorded ahead of it.

import { describe, expect, it } from 'vitest';
import { differences } from '../engine/equal-results.js';
import { replayNatively } from '../engine/replay-natively.js';
import { replayDrawing } from '../drawn/replay-drawing.js';

type Options = Parameters<typeof replayDrawing>[1];

/** The lowest place of addresses below 2^39; the others of an address follow at this distance. */
const PLACE = 0x10_003b_0000_0000;
const STRIDE = 315 * 2 ** 31;

/** Core and address of each reference: the program's own address, with `'` for its first place, `''` for the second. */
function order(text: string, options: Options = {}): string {
  const { input, result, references } = replayDrawing(text, options);
  expect(differences(result, replayNatively(input, 1), 'ts', 'native')).toEqual([]);
  return references
    .map((line) => {
      const [core, , hex] = line.split(' ');
      const address = Number.parseInt(hex, 16);
      const place = address < PLACE ? 0 : Math.floor((address - PLACE) / STRIDE) + 1;
      return `${core}:${(place === 0 ? address : (address - PLACE) % STRIDE).toString(16)}${"'".repeat(place)}`;
    })
    .join(' ');
}

const at = (address: number, size = 64): { address: number; size: number } => ({ address, size });
const heap = { p: at(0x10000), q: at(0x10000), r: at(0x10000), other: at(0x20000) };

const HANDED_ON = `
      core 0           core 1
      alloc p
      work 40
      W @10008
      free p
                       alloc q; W @10010`;

describe('an allocation of memory that another thread gave back', () => {
  it('does not wait for that: the memory is renamed, and nothing was held up', () => {
    expect(order(HANDED_ON, { heap })).toBe("1:10010' 0:10008");
    expect(replayDrawing(HANDED_ON, { heap }).result.totals).toMatchObject({
      outsideLife: 0,
      segmentsThatWaited: 0,
      instructions: 42,
    });
    expect(order(HANDED_ON.replace('alloc q', 'alloc other'), { heap })).toBe('1:10010 0:10008');
  });

  it('lies in the same sets, of caches of any usual number of sets', () => {
    for (const sets of [64, 1024, 12 * 2048, 9 * 4096, 20 * 2048, 28 * 2048])
      expect((PLACE + 0x10010) % (sets * 64), `${sets} sets`).toBe(0x10010 % (sets * 64));
    expect(STRIDE % 2 ** 30).toBe(0);
  });

  it('gets the memory itself if that was given back by then', () => {
    expect(order(HANDED_ON.replace('work 40', 'work 1'), { heap })).toBe('0:10008 1:10010');
  });

  it('is another object, which lives beside the one before', () => {
    const { result } = replayDrawing(HANDED_ON, {
      heap: { p: { ...at(0x10000), type: '' }, q: { ...at(0x10000), type: '' } },
    });
    expect([...result.objects.address]).toEqual([0x10000, PLACE + 0x10000]);
    expect([...result.objects.references]).toEqual([1, 1]);
  });

  it('waits in the recorded and the random schedule, as does a mapping or a part in the logical one', () => {
    expect(order(HANDED_ON, { heap, schedule: 'recorded' })).toBe('0:10008 1:10010');
    for (const more of [{ mmap: true }, { part: true }])
      expect(order(HANDED_ON, { heap: { p: { ...at(0x10000), ...more }, q: { ...at(0x10000), ...more } } })).toBe(
        '0:10008 1:10010',
      );
  });

  it('parts of it wait only for what was given back since', () => {
    const parts = { old: { ...at(0x10000, 16), part: true }, part: { ...at(0x10000, 16), part: true } };
    expect(
      order(
        `
      core 0                    core 1
      alloc p; alloc old
      work 40
      W @10008; free old
      free p
                                alloc q; alloc part; W @10010`,
        { heap: { ...heap, ...parts } },
      ),
    ).toBe("1:10010' 0:10008");
  });
});

describe('a part of memory that is renamed while it waits', () => {
  it('waits for all that it had to wait for when its turn came', () => {
    const part = { ...at(0x10000, 16), part: true };
    expect(
      order(
        `
      core 0               core 1                  core 2             core 3
      alloc p; alloc old
      work 40
      free old
      alloc older
      W @20000
      work 5
      W @20080
                                                                      work 60
                                                                      free older
                                                                      free p
                                                   work 15
                                                   alloc q; W @20040
                           alloc part; W @10010
                                                                      W @200c0`,
        { heap: { ...heap, old: part, older: part, part } },
      ),
    ).toBe("2:20040 0:20000 0:20080 1:10010' 3:200c0");
  });
});

describe('several generations', () => {
  const THREE = `
      core 0           core 1           core 2
      alloc p
      work 40
      W @10008
      free p
                       alloc q
                       work 20
                       W @10010
                       free q
                                        alloc r; W @10018`;

  it('live side by side, each at a place of its own', () => {
    expect(order(THREE, { heap })).toBe("2:10018'' 1:10010' 0:10008");
  });

  it('a place that was given back is taken again', () => {
    const drawing = `
      core 0           core 1
      alloc p
      work 60
      W @10008
      free p
                       alloc q; W @10010
                       free q
                       alloc r; W @10018`;
    expect(order(drawing, { heap })).toBe("1:10010' 1:10018' 0:10008");
  });

  it('another thread means the one that its stamps say it has heard of', () => {
    // Thread 2 uses p before it says so to thread 0, and q after it heard of it from thread 1.
    const drawing = `
      core 0             core 1             core 2
      alloc p
      release file a
                                            acquire file a; W @10020
                                            release file b
      work 40
      acquire file b
      free p
                         alloc q; W @10010
                         release file c
                                            acquire file c; W @10028`;
    expect(order(drawing, { heap })).toBe("2:10020 1:10010' 2:10028'");
  });

  it('is freed by whoever frees it', () => {
    const drawing = `
      core 0             core 1             core 2
      alloc p
      work 40
      W @10008
      free p
                         alloc q; W @10010
                         release file c
                                            acquire file c; free q
                                            alloc other; W @20000`;
    const { result } = replayDrawing(drawing, { heap });
    expect([...result.objects.address]).toEqual([0x10000, PLACE + 0x10000, 0x20000]);
    expect(Number(result.objects.diedAt[1])).toBeLessThan(Number(result.objects.diedAt[0]));
  });
});

describe('locks and stacks', () => {
  it('a lock in renamed memory is another lock', () => {
    const drawing = `
      core 0                               core 1
      alloc p
      lock @10000; work 40; W @10008
      unlock @10000
      free p
                                           alloc q; lock @10000; W @10010`;
    expect(order(drawing, { heap })).toBe("1:10010' 0:10008");
    expect(order(drawing.replace('alloc q; ', ''), { heap })).toBe('0:10008 1:10010');
  });

  it('a stack that the C library reuses is renamed', () => {
    const drawing = `
      core 0           core 1           core 2
      create 1
                       start 0
                       work 40
                       W @7f1008
                       end
      create 2
                                        start 0 on 1; W @7f1010`;
    expect(order(drawing)).toBe("2:7f1010' 1:7f1008");
    expect(order(drawing.replace('on 1', ''))).toBe('2:7f1010 1:7f1008');
  });
});
