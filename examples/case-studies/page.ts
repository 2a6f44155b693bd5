// Stage: case studies. A page of text and its commands: what stands under each command is what it prints when it is
// run.
//
// In a page, a block that begins with ```console is a session: a line "$ COMMAND" and below it what the command prints.
// A line that ends in \ goes on. Commands run one after the other in the study's folder, with bin/ in the PATH.

import { spawnSync } from 'node:child_process';

export interface Place {
  /** Where programs and traces are. */
  readonly folder: string;
  /** With dprof, dprof-cc. */
  readonly bin: string;
}

const SESSION = /^```console\n([\s\S]*?)^```$/gm;

export function regenerate(page: string, place: Place): string {
  return page.replace(
    SESSION,
    (_, body: string) =>
      `\`\`\`console\n${commandsIn(body)
        .map((command) => `$ ${command}\n${run(command, place)}`)
        .join('')}\`\`\``,
  );
}

function commandsIn(body: string): string[] {
  return [...body.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, command]) => command);
}

/** Without blanks at the ends of lines, which editors take away. */
function run(command: string, { folder, bin }: Place): string {
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    COLUMNS: '132',
    DPROF_CACHE: '0',
    LC_ALL: 'C.UTF-8',
    NO_COLOR: '1',
    DPROF_DEBUG: '',
  };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: folder,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${command}: status ${status}\n${stderr}`);
  return stdout.replace(/[ \t]+$/gm, '');
}

/** Everything that commands printed in a page. */
export function sessionsOf(page: string): string {
  return [...page.matchAll(SESSION)].map(([, body]) => body).join('\n');
}

/** What a page says itself: without blocks of code, headings of tables and comments. */
export function proseOf(page: string): string {
  return page
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^ {4}.*$/gm, '');
}

/** Graphs that its commands draw, by the names by which it shows them. */
export function graphsOf(page: string): string[] {
  return [...page.matchAll(/!\[[^\]]*\]\(([\w-]+\.svg)\)/g)].map(([, file]) => file);
}

/** What is written in a graph; where it stands depends on fonts. */
export function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
}
