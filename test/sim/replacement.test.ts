// Replacement policies, one set at a time, as sequences of lines: a letter is a reference, and what it pushes out
// stands behind it.

import { describe, expect, it } from 'vitest';
import { POLICIES, type Policy } from '../../src/contract/machine.js';
import { Cache } from '../../src/sim/cache.js';
import { mix } from '../../src/sim/mix.js';

/** A cache of one set. */
function cacheOf(policy: Policy, ways: number, seed = 1): Cache {
  return new Cache(
    { sizeBytes: 64 * ways, ways, latencyCycles: 1, policy, inclusion: 'non-inclusive', prefetchers: [] },
    64,
    { seed, level: 0, unit: 0 },
    (line) => line,
  );
}

/** "A B C" to "A B C>A": what each reference pushes out; a hit is written in lower case. */
function replay(cache: Cache, references: string): string {
  return references
    .split(' ')
    .map((name) => {
      const line = name.charCodeAt(0);
      if (cache.lookUp(line)) return name.toLowerCase();
      const victim = cache.fill(line);
      return victim === null ? name : `${name}>${String.fromCharCode(victim)}`;
    })
    .join(' ');
}

describe('lru and fifo', () => {
  it('lru: the line that was used longest ago leaves', () => {
    expect(replay(cacheOf('lru', 3), 'A B C A D B C A')).toBe('A B C a D>B B>C C>A A>D');
  });

  it('fifo: a hit does not keep a line', () => {
    expect(replay(cacheOf('fifo', 3), 'A B C A D A')).toBe('A B C a D>A A>B');
  });

  it("fifo shows Belady's anomaly: 9 misses of 12 in three ways, 10 in four (Belady, Nelson and Shedler, 1969)", () => {
    const sequence = 'A B C D A B E A B C D E';
    const misses = (ways: number): number =>
      replay(cacheOf('fifo', ways), sequence)
        .replace(/[^A-Z> ]/g, '')
        .split(' ')
        .filter((met) => met !== '').length;
    expect([misses(3), misses(4)]).toEqual([9, 10]);
  });
});

describe('tree-plru', () => {
  it(
    'four ways: after A B C D the root points at the first half, and a hit on A makes C leave, not B that lru ' +
      'would take',
    () => {
      // Root points away from the last touched half; within a half, away from the last touched way.
      expect(replay(cacheOf('tree-plru', 4), 'A B C D E')).toBe('A B C D E>A');
      expect(replay(cacheOf('tree-plru', 4), 'A B C D A E')).toBe('A B C D a E>C');
      expect(replay(cacheOf('lru', 4), 'A B C D A E')).toBe('A B C D a E>B');
    },
  );

  it('a cyclic walk over five lines of four ways misses every time, in the order of the tree: A, C, B, D', () => {
    expect(replay(cacheOf('tree-plru', 4), 'A B C D E F G H')).toBe('A B C D E>A F>C G>B H>D');
  });

  it('two ways are lru', () => {
    expect(replay(cacheOf('tree-plru', 2), 'A B A C B A')).toBe('A B a C>B B>A A>C');
  });

  it('ways that are no power of two are refused', () => {
    expect(() => cacheOf('tree-plru', 12)).toThrow('policy tree-plru with 12 ways: a tree needs a power of two');
  });
});

describe('bit-plru', () => {
  it('when all bits are set the others are cleared, and the lowest clear way leaves', () => {
    // After A B C D only D's bit is left; A leaves for E, B for F.
    expect(replay(cacheOf('bit-plru', 4), 'A B C D E F')).toBe('A B C D E>A F>B');
    // The hit on B keeps it: C leaves after A.
    expect(replay(cacheOf('bit-plru', 4), 'A B C D B E F')).toBe('A B C D b E>A F>C');
  });

  it('one way is always the one that leaves', () => {
    expect(replay(cacheOf('bit-plru', 1), 'A B A')).toBe('A B>A A>B');
  });
});

describe('srrip', () => {
  it('a scan does not push out what is used again, as lru would (Jaleel et al., ISCA 2010)', () => {
    const scan = 'A A B B C D E F A B';
    expect(replay(cacheOf('srrip', 4), scan)).toBe('A a B b C D E>C F>D a b');
    expect(replay(cacheOf('lru', 4), scan)).toBe('A a B b C D E>A F>B A>C B>D');
  });

  it('lines are inserted at 2; the lowest way at 3 leaves, and all grow until there is one', () => {
    // All at 2: all become 3, A leaves; then B (3), C (3); the fill of D at 2 is younger than those.
    expect(replay(cacheOf('srrip', 3), 'A B C D E F G')).toBe('A B C D>A E>B F>C G>D');
  });

  it("the paper's figure: of a1 a2 used twice and b1 b2 b3 b4 once, in four ways, a1 and a2 hit again", () => {
    expect(replay(cacheOf('srrip', 4), 'A B B A W X Y Z A B')).toBe('A B b a W X Y>W Z>X a b');
  });
});

describe('random', () => {
  it('draws from a xorshift stream by seed, level and unit, and only when a line has to leave', () => {
    const state = mix(1, 0);
    const victims = (count: number): string => {
      let x = state;
      return Array.from({ length: count }, () => {
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        return (x >>> 0) % 4;
      }).join('');
    };
    const cache = cacheOf('random', 4);
    replay(cache, 'A B C D A B C D');
    const ways = ['A', 'B', 'C', 'D'];
    const found = 'E F G H I J K L'.split(' ').map((name) => {
      const way = ways.indexOf(replay(cache, name).slice(2));
      ways[way] = name;
      return way;
    });
    expect(found.join('')).toBe(victims(8));
  });

  it('another seed draws otherwise; the same draws the same', () => {
    const sequence = 'A B C D E F G H I J K L M N O P';
    expect(replay(cacheOf('random', 4, 1), sequence)).toBe(replay(cacheOf('random', 4, 1), sequence));
    expect(replay(cacheOf('random', 4, 1), sequence)).not.toBe(replay(cacheOf('random', 4, 2), sequence));
  });

  it('mix is the finaliser of MurmurHash3', () => {
    // By Python, from the published formula.
    expect([mix(0, 0), mix(1, 1), mix(0xffffffff, 5)]).toEqual([0x11fd02eb, 0xdd6b1d3, 0xcbe9d9d]);
  });
});

it('a way that was emptied is filled first, whatever the policy', () => {
  for (const policy of POLICIES) {
    const cache = cacheOf(policy, 4);
    replay(cache, 'A B C D');
    cache.remove('C'.charCodeAt(0));
    expect(replay(cache, 'E'), policy).toBe('E');
    expect(replay(cache, 'A B D E'), policy).toBe('a b d e');
  }
});
