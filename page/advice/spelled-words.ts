// Stage: HTML page. Sentences of advice as elements: names stand apart, and lines of the source lead to the page of
// their file, if the report has it.

import { plainText, type Words } from '../../src/report/advice-words.js';
import type { AnnotatedSource } from '../../src/views/annotated-source.js';
import { element } from '../elements.js';
import { linkToSite } from '../links.js';
import { briefSiteElement, nameElement } from '../names.js';
import type { Report } from '../report.js';

const SITE_CHARACTERS = 60;

/** The address of a line's place in the report; null: it has none. */
export type SourceLinks = (site: string) => string | null;

/** Advice may spell a file as the report does, or by its last part alone. */
export async function sourceLinks(report: Report): Promise<SourceLinks> {
  if (!report.has('annotated-source')) return () => null;
  const { files } = await report.envelope<AnnotatedSource>('annotated-source');
  const names = files.map(({ file }) => file);
  return (site) => {
    const [, file, line] = /^(.*):(\d+)$/s.exec(site) ?? [];
    if (file === undefined) return null;
    const ends = names.filter((name) => name.endsWith(`/${file}`));
    const found = names.includes(file) ? file : ends.length === 1 ? ends[0] : null;
    return found === null ? null : linkToSite(`${found}:${line}`);
  };
}

export function spellWords(words: Words, linkOf: SourceLinks): (Node | string)[] {
  return words.map((word) => {
    if (typeof word === 'string') return word;
    if ('prose' in word) return element('bdi', {}, plainText([word]));
    return 'name' in word ? nameElement(word.name) : siteElement(word.site, linkOf);
  });
}

function siteElement(site: string, linkOf: SourceLinks): HTMLElement {
  const spelled = briefSiteElement(site, SITE_CHARACTERS);
  const target = linkOf(site);
  return target === null ? spelled : element('a', { href: target }, spelled);
}
