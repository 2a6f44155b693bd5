// Stage: test. Views that no page is about, which get one of their own.

import { expect, test } from 'vitest';
import { viewsWithoutPage } from '../../page/pages/other-views.js';
import { VIEW_NAMES } from '../../src/views/views.js';

test('a view that no page is about is one; what others show, or nobody needs to see, is none', () => {
  const others = VIEW_NAMES.filter((name) => name !== 'locks' && name !== 'functions');
  expect(viewsWithoutPage([...others, 'functions'])).toEqual(['locks']);
  const all = viewsWithoutPage([]);
  expect(all).toContain('data-profile');
  for (const name of ['address-set', 'unused-bytes', 'schedules', 'path-traces']) expect(all).not.toContain(name);
});
