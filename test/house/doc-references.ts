// Stage: test. Text of docs and comments -> what it refers to that is not in the repository: files, sections, issues.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const FOLDERS = [
  'bench',
  'docs',
  'engine',
  'examples',
  'llvm-pass',
  'page',
  'runtime',
  'scripts',
  'src',
  'test',
  'workers',
];
const CODE = /\.(?:ts|tsx|mjs|js|h|hpp|cpp|cc|c|py|sh|css)$/;
const PATH = new RegExp(`^(?:dist/)?(?:${FOLDERS.join('|')})/[\\w./+-]*\\w/?$`);
const OUTSIDE = [
  { words: /\bissue #?\d+/gi, is: 'an issue' },
  {
    words: /\bDESIGN\.md\b|\bthe design\b(?! of)/gi,
    is: 'a design page',
  },
];

/** Every file below `root` whose text is checked: pages, and code for its comments. */
export function checkedFiles(root: string): { readonly pages: readonly string[]; readonly code: readonly string[] } {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  ).filter((file) => !file.includes('node_modules/'));
  const tops = readdirSync(root).filter((file) => file.endsWith('.md'));
  return {
    pages: [...tops, ...files.filter((file) => file.endsWith('.md'))],
    code: files.filter((file) => CODE.test(file) && !file.startsWith('test/house/')),
  };
}

/** References of a page to things that the repository does not have, one line each. */
export function strayReferencesOfPage(
  root: string,
  page: string,
  text = readFileSync(join(root, page), 'utf8'),
): string[] {
  const prose = withoutBlocks(text);
  const links = [...prose.replace(/`[^`]*`/g, '``').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
  const paths = [...prose.matchAll(/`([^`]+)`/g)]
    .flatMap(([, code]) => code.split(/\s+/))
    .filter((word) => PATH.test(word));
  return [
    ...links
      .filter((target) => !/^(?:https?:|mailto:)/.test(target))
      .flatMap((target) => strayLink(root, page, text, target)),
    ...paths.filter((path) => !isThere(root, path)).map((path) => `${page}: \`${path}\` is not there`),
    ...sectionsNamed(prose).flatMap(([file, section]) => straySection(root, page, file, section)),
    ...outside(page, prose),
  ];
}

/** The same of code: pages, and sections of pages, that it names. */
export function strayReferencesOfCode(
  root: string,
  file: string,
  text = readFileSync(join(root, file), 'utf8'),
): string[] {
  const joined = text.replace(/\n[ \t]*(?:\/\/\/?|\*|#)?[ \t]*/g, ' ');
  const pages = [...joined.matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([page]) => page);
  return [
    ...pages.filter((page) => !existsSync(join(root, page))).map((page) => `${file}: ${page} is not there`),
    ...sectionsNamed(joined)
      .filter(([page]) => existsSync(join(root, page)))
      .flatMap(([page, section]) => straySection(root, file, page, section)),
    ...outside(file, joined),
  ];
}

/** As GitHub makes an anchor of a heading. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replace(/ /g, '-');
}

function headingsOf(text: string): string[] {
  return [...withoutBlocks(text).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading]) => heading.trim());
}

/** Blocks of code show commands and output: what looks like a link there is none. */
function withoutBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '').replace(/^ {4}.*$/gm, '');
}

function strayLink(root: string, page: string, text: string, target: string): string[] {
  const [path, anchor] = target.split('#');
  const file = path === '' ? page : relative(root, join(root, dirname(page), path));
  if (path !== '' && !existsSync(join(root, file))) return [`${page}: the link ${target} leads nowhere`];
  if (anchor === undefined || !file.endsWith('.md')) return [];
  const there = path === '' ? text : readFileSync(join(root, file), 'utf8');
  const anchors = [...headingsOf(there).map(anchorOf), ...[...there.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id)];
  return anchors.includes(anchor) ? [] : [`${page}: ${file} has no section #${anchor}`];
}

/** `docs/x.md, "Section"` */
function sectionsNamed(text: string): [page: string, section: string][] {
  return [...text.matchAll(/\b(docs\/[\w/-]+\.md),? \(?"([^"\n]+?)"/g)].map(([, page, section]) => [page, section]);
}

function straySection(root: string, from: string, page: string, section: string): string[] {
  const named = section.replace(/[.,]$/, '');
  return existsSync(join(root, page)) && headingsOf(readFileSync(join(root, page), 'utf8')).includes(named)
    ? []
    : [`${from}: ${page} has no section "${named}"`];
}

/** `dist/test/real/x.js` is what `test/real/x.ts` becomes. */
function isThere(root: string, path: string): boolean {
  const source = path.startsWith('dist/') ? path.slice('dist/'.length).replace(/\.js$/, '.ts') : path;
  return existsSync(join(root, source));
}

function outside(from: string, text: string): string[] {
  return OUTSIDE.flatMap(({ words, is }) =>
    [...text.matchAll(words)].map(([found]) => `${from}: "${found}" is ${is}, which is not in the repository`),
  );
}
