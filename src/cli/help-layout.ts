// Stage: command line. How help is laid out: `dprof COMMAND --help` fits a screen, `dprof help COMMAND` explains every
// option, and both end in examples.

import { Help, type Command, type Option } from 'commander';

/** The number of lines that a person sees without scrolling, roughly. */
const SCREEN_LINES = 48;

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  record: ['dprof record -o run.dptrace -- ./program', 'dprof record --after 2s --for 500ms -- ./server'],
  replay: [
    'dprof replay run.dptrace -o run.dprofile',
    'dprof replay run.dptrace --machine zen3 --l1 48K/12 -o zen3.dprofile',
  ],
  report: [
    'dprof report run.dptrace',
    "dprof report run.dptrace --view miss-classification --type 'struct node'",
    'dprof report run.dptrace --view sharing --machine zen3 --top 5',
    'dprof report run.dptrace --from mark:sort --to mark:done --format json',
  ],
  html: [
    'dprof html run.dptrace -o report.html',
    'dprof html run.dptrace --blocks -o report.html',
    'dprof advise run.dptrace --format json > advice.json',
    'dprof html run.dptrace --advice advice.json -o report.html',
  ],
  annotate: [
    'dprof annotate run.dptrace --file list.c',
    'dprof annotate run.dptrace --blocks',
    "dprof annotate run.dptrace --type 'struct node'",
  ],
  export: ['dprof export run.dptrace --to dataset -o run.dataset'],
  run: ['dprof run -- ./program', 'dprof run --keep run.dptrace --view sharing -- ./program'],
  dump: ['dprof dump run.dptrace', 'dprof dump --references run.dptrace'],
  stream: [
    'dprof stream run.dptrace --columns type,size',
    "dprof stream run.dptrace --columns thread,address,field --where 'type=struct node' --where kind=store",
    'dprof stream run.dptrace --columns function,line,latency --where llcMiss=capacity --machine zen3',
    'dprof stream run.dptrace --columns type,miss --format arrow | python3 misses.py',
    'dprof stream run.dptrace --events',
  ],
  kernel: [
    'dprof kernel examples/kernels/missing-lines.ts run.dptrace',
    'dprof kernel mine.ts run.dptrace --machine zen3 --format json',
  ],
  sql: [
    "dprof sql run.dptrace 'select type, count(*) n, count(miss) misses from refs group by type order by n desc'",
    "dprof sql run.dptrace 'from data_profile' --format json",
    'dprof sql run.dptrace --machine zen3',
  ],
  import: [
    'dprof import perf.data -o run.dpsamples',
    'perf script --ns -G -F comm,pid,tid,... | dprof import - -o run.dpsamples',
  ],
  sweep: [
    'dprof sweep run.dptrace --l1 8K..256K',
    'dprof sweep run.dptrace --machine zen3 --llc 4M..64M --by function',
  ],
  diff: [
    'dprof diff before.dptrace after.dptrace --per request',
    'dprof diff a.dprofile b.dprofile --format html -o diff.html',
  ],
  advise: [
    'dprof advise run.dptrace',
    'dprof advise run.dptrace --machine zen3 --top 3 --format json',
    'dprof advise run.dptrace --patch patches --compile-commands build/compile_commands.json',
  ],
  check: [
    'dprof check --init -- ./program 1000',
    'dprof check --update',
    'dprof check --format github --sarif dprof.sarif',
  ],
  'what-if': [
    "dprof what-if run.dptrace --reorder 'struct node: key,next,*'",
    "dprof what-if run.dptrace --split 'struct rec: key,next | *' --pool 'struct item'",
    "dprof what-if run.dptrace --interchange 'matrix.c:19'",
    'dprof what-if run.dptrace --header new.h --format html -o changed.html',
  ],
  history: ["dprof history --type 'struct packet' -- ./program", 'dprof history --popular run.dpsamples -- ./program'],
  sample: ['dprof sample -o run.dpsamples -- ./program', 'dprof sample --event page-faults -- ./program'],
  validate: [
    'dprof validate run.dptrace run.dphistories',
    'dprof validate --resample run.dptrace --format html -o page.html',
  ],
  merge: [
    'dprof merge monday.dprofile tuesday.dprofile -o both.dprofile',
    'dprof merge --shards part1 part2 part3 part4 -o run.dprofile',
  ],
  block: [
    'dprof block --hex 4801d8 480fafc3',
    'dprof block --asm loop.s --format json',
    'dprof block --csv blocks.csv',
    'dprof block --program ./a.out --function main',
  ],
  machines: ['dprof machines zen3 > my.json'],
};

/** `explainsAll`: `dprof help COMMAND`. */
export function helpLayout(explainsAll: boolean): Partial<Help> {
  return {
    optionDescription,
    formatHelp(command, helper) {
      const whole = render(command, helper);
      if (explainsAll || whole.split('\n').length <= SCREEN_LINES) return whole + examplesOf(command);
      const own = (option: Option): boolean => option.helpGroupHeading === undefined;
      const visible = helper.visibleOptions(command);
      const short = Object.assign(Object.create(helper) as Help, { visibleOptions: () => visible.filter(own) });
      const named = namedOptions(
        visible.filter((option) => !own(option)),
        helper,
      );
      const more = `'dprof help ${command.name()}' explains every option.\n`;
      return `${render(command, short)}${named}\n${more}${examplesOf(command)}`;
    },
  };
}

function render(command: Command, helper: Help): string {
  return Help.prototype.formatHelp.call(helper, command, helper);
}

/** Each group's heading, which says where they are described, and its options. */
function namedOptions(options: readonly Option[], helper: Help): string {
  const groups = new Map<string, string[]>();
  for (const option of options) {
    const heading = option.helpGroupHeading ?? '';
    groups.set(heading, [...(groups.get(heading) ?? []), option.flags]);
  }
  return [...groups].map(([heading, flags]) => `${heading}\n${fill(flags, helper.helpWidth ?? 80)}`).join('');
}

function fill(flags: readonly string[], width: number): string {
  let text = '';
  let line = ' ';
  for (const flag of flags) {
    if (line.length + 1 + flag.length > width) {
      text += `${line}\n`;
      line = ' ';
    }
    line += ` ${flag}`;
  }
  return `${text}${line}\n`;
}

/** Choices and defaults without quotation marks. */
function optionDescription({
  description,
  argChoices,
  defaultValue,
  defaultValueDescription,
  required,
}: Option): string {
  const byDefault =
    defaultValueDescription ?? (required && typeof defaultValue === 'string' ? defaultValue : undefined);
  const choices = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`;
  return `${description}${choices}${byDefault === undefined ? '' : ` (default: ${byDefault})`}`;
}

function examplesOf(command: Command): string {
  const examples = EXAMPLES[command.name()] ?? [];
  return examples.length === 0 ? '' : `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}`;
}
