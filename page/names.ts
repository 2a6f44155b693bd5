// Stage: HTML page. Names of the program as text that can do nothing to the text around it: what would break a line, or
// turn the direction of what follows, is written as its code point.

import { shorten } from '../src/report/text-lines.js';
import { spellVisibly as spellName } from '../src/report/visible-text.js';
import { element } from './elements.js';

export { spellVisibly as spellName } from '../src/report/visible-text.js';

/** For where there is little room, as in a chart. */
export function briefName(name: string, length: number): string {
  return shorten(spellName(name), length);
}

export function nameElement(name: string): HTMLElement {
  return element('bdi', { class: 'name', title: spellName(name) }, spellName(name));
}

/** "shell.c:12" of "/usr/src/sqlite/shell.c:12", which its title says whole; the line is never cut off. */
export function briefSiteElement(site: string, length: number): HTMLElement {
  return element(
    'bdi',
    { class: 'name', title: spellName(site) },
    briefName(site.slice(site.lastIndexOf('/') + 1), length),
  );
}
