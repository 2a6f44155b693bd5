// Stage: HTML page. Which type a page is about, of thousands: a field that completes names.

import { formatCount } from '../src/base/format-number.js';
import { button, element } from './elements.js';
import { spellName } from './names.js';

let fields = 0;

/** `types` in the order of the list, which is by `order`; what is chosen is one of them. */
export function typeChoice(
  types: readonly string[],
  chosen: string,
  act: (type: string) => void,
  order = 'L1 misses',
): HTMLElement {
  const id = `type-${fields++}`;
  const bySpelling = new Map(types.map((type) => [spellName(type), type]));
  const input = element('input', {
    id,
    type: 'search',
    list: `${id}-names`,
    value: spellName(chosen),
    spellcheck: 'false',
    autocomplete: 'off',
    class: 'name',
  });
  const names = element('datalist', { id: `${id}-names` });
  // Elements for thousands of names take time that a reader who asks for none should not wait for.
  input.addEventListener('focus', () => {
    if (names.childElementCount === 0)
      names.append(...[...bySpelling.keys()].map((name) => element('option', { value: name })));
    input.select();
  });
  const choose = (): void => {
    const type = bySpelling.get(input.value.trim());
    if (type !== undefined && type !== chosen) act(type);
  };
  input.addEventListener('change', choose);
  const step = (by: number): void => {
    const next = types[types.indexOf(chosen) + by];
    if (next !== undefined) act(next);
  };
  const place = types.indexOf(chosen);
  return element(
    'div',
    { class: 'control type-choice' },
    element('label', { for: id }, 'type'),
    input,
    names,
    button('←', () => step(-1), { 'aria-label': 'the type before', disabled: place <= 0 }),
    button('→', () => step(1), { 'aria-label': 'the next type', disabled: place === types.length - 1 }),
    element('span', { class: 'count' }, `${formatCount(place + 1)} of ${formatCount(types.length)} by ${order}`),
  );
}

/** The type that a page was asked for, or the first of those it has. */
export function askedType(words: URLSearchParams, types: readonly string[]): string {
  const asked = words.get('type');
  return asked !== null && types.includes(asked) ? asked : types[0];
}
