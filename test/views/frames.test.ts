// Stage: test. The frame that views show of a path of sites.

import { expect, test } from 'vitest';
import { NO_INDEX } from '../../src/base/ids.js';
import { SiteBuilder, StringBuilder } from '../../src/profile/name-tables.js';
import { FAMILIES, OBJECT_KINDS, type Profile } from '../../src/profile/profile.js';
import { SITE_IN_SYSTEM } from '../../src/profile/tables.js';
import { framesOf, withFrames } from '../../src/views/frames.js';
import { matchesGlob } from '../../src/views/glob.js';

/** Paths drawn as text, innermost first, "function file:line"; a file in /usr is the system's; "=x" is a receiver. */
class Drawn {
  readonly strings = new StringBuilder();
  readonly sites = new SiteBuilder(this.strings);
  readonly drawn: number[] = [];

  site(...frames: readonly string[]): number {
    const site = frames.reduceRight((caller, frame) => {
      const [name, place, ...receiver] = frame.split(' ');
      const [file, line] = place.split(':');
      const flags = file.startsWith('/usr/') ? SITE_IN_SYSTEM : 0;
      const received = receiver.length === 0 ? NO_INDEX : this.strings.intern(receiver.join(' ').slice(1));
      return this.sites.intern(name, file, Number(line), 0, { flags, receiver: received, caller });
    }, 0);
    return this.drawn.push(site) - 1;
  }

  /** Objects of these types, allocated at these paths. */
  profile(objects: readonly (readonly [type: number, path: number])[] = []): {
    profile: Profile;
    at: readonly number[];
  } {
    const strings = this.strings.freeze();
    const { table: sites, renumber } = this.sites.freeze(strings);
    const at = this.drawn.map((site) => renumber[site]);
    const profile = {
      strings: strings.table,
      sites,
      types: { family: new Uint8Array(9).fill(FAMILIES.indexOf('aggregate')) },
      objects: {
        address: new Float64Array(objects.length),
        kind: new Uint8Array(objects.length).fill(OBJECT_KINDS.indexOf('heap')),
        type: Uint32Array.from(objects, ([type]) => type),
        site: Uint32Array.from(objects, ([, path]) => at[path]),
      },
      objectCounters: { object: new Uint32Array(), counter: new Uint8Array(), value: new Float64Array() },
    };
    return { profile: profile as unknown as Profile, at };
  }
}

const nameOf = ({ strings, sites }: Profile, site: number): string => strings[sites.function[site]];

test('an allocation is shown outside the system, wrappers that return void *, and patterns of --library', () => {
  const drawn = new Drawn();
  const path = drawn.site(
    'allocate /usr/new_allocator.h:137',
    'xmalloc x.c:5 =return',
    'grow pool.c:9',
    'main main.c:3 =u',
  );
  const { profile, at } = drawn.profile();
  expect(nameOf(profile, framesOf(profile).allocation(at[path]))).toBe('grow');
  const within = withFrames(profile, { libraries: ['pool.?'] });
  const own = framesOf(within).allocation(at[path]);
  expect([nameOf(within, own), framesOf(within).receiver(at[path])]).toEqual(['main', 'u']);
  expect(framesOf(profile).allocators(at[path])).toEqual(['allocate', 'xmalloc']);
  expect(framesOf(within).allocators(at[path])).toEqual(['allocate', 'xmalloc', 'grow']);
  expect(
    framesOf(profile)
      .path(at[path])
      .map(({ site }) => site),
  ).toEqual(['/usr/new_allocator.h:137', 'x.c:5', 'pool.c:9', 'main.c:3']);
});

test('memory that functions hand on is received by who asked for it, by element of what each returned', () => {
  const receiverOf = (...frames: readonly string[]): string => {
    const drawn = new Drawn();
    const path = drawn.site(...frames);
    const { profile, at } = drawn.profile();
    return `${framesOf(profile).receiver(at[path])} in ${nameOf(profile, framesOf(profile).allocation(at[path]))}`;
  };
  const main = 'main main.c:3 =grid.rows';
  expect(receiverOf('xmalloc x.c:5 =return p', 'allocate x.c:9 =return', main)).toBe('grid.rows in main');
  expect(receiverOf('alloc_2d x.c:5 =return[] a[]', main)).toBe('grid.rows[] in main');
  expect(receiverOf('alloc_2d x.c:5 =return[] a[]', 'alloc_3d x.c:9 =return[][] b[][]', main)).toBe(
    'grid.rows[][][] in main',
  );
  // Nobody with a name, and a caller that nobody knows.
  expect(receiverOf('alloc_2d x.c:5 =return[] a[]', 'main main.c:3')).toBe('null in main');
  expect(receiverOf('alloc_2d x.c:5 =return[] a[]')).toBe('a[] in alloc_2d');
  expect(receiverOf('make x.c:5 =returned', main)).toBe('returned in make');
});

test('a line that allocates three types over three call paths allocates for others; two do not', () => {
  const shown = (types: readonly number[], lines: readonly number[], ...between: readonly string[]): string => {
    const drawn = new Drawn();
    const paths = lines.map((line) => drawn.site('new_object gc.c:70', ...between, `make_${line} lib.c:${line}`));
    const { profile, at } = drawn.profile(paths.map((path, index) => [types[index], path]));
    return nameOf(profile, framesOf(profile).allocation(at[paths[0]]));
  };
  expect(shown([1, 2, 3], [11, 12, 13])).toBe('make_11');
  expect(shown([1, 2, 2], [11, 12, 13])).toBe('new_object');
  expect(shown([1, 2, 3], [11, 12, 12])).toBe('new_object');
  expect(shown([1, 2, 3], [11, 12, 13], 'only_caller gc.c:90')).toBe('make_11');
});

test('code is charged outside headers, else to what was not inlined; --innermost charges the innermost', () => {
  const drawn = new Drawn();
  const accessor = drawn.site('Py_TYPE object.h:4', 'helper eval.c:8', 'loop eval.c:20');
  const template = drawn.site('size /usr/stl_vector.h:9', 'walk tree.hpp:3');
  const { profile, at } = drawn.profile();
  expect([accessor, template].map((path) => nameOf(profile, framesOf(profile).charged(at[path])))).toEqual([
    'helper',
    'walk',
  ]);
  const innermost = withFrames(profile, { innermost: true });
  expect(nameOf(innermost, framesOf(innermost).charged(at[accessor]))).toBe('Py_TYPE');
  expect(nameOf(profile, framesOf(profile).own(at[accessor]))).toBe('Py_TYPE');
  expect(nameOf(profile, framesOf(profile).own(at[template]))).toBe('walk');
});

test('a pattern matches a whole name, or what is behind one of its slashes', () => {
  const matched = ['x*', 'pool.?', 'lib/*', '*alloc', 'a.b'].map((glob) =>
    ['xmalloc', 'src/pool.c', 'src/lib/a.c', 'aXb'].filter((name) => matchesGlob(glob, name)),
  );
  expect(matched).toEqual([['xmalloc'], ['src/pool.c'], ['src/lib/a.c'], ['xmalloc'], []]);
});
