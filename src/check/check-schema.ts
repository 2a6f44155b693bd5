// Stage: check. The JSON schema of dprof.yml, for editors and for reading it. docs/check.schema.json is this one.

const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const;

const words = (description: string) =>
  ({
    description,
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', minItems: 1, items: { type: 'string' } },
    ],
  }) as const;

/** `- struct node: bytes <= 64` is a mapping of one entry, `- l2-misses <= 5` a text. */
const statements = (description: string) =>
  ({
    description,
    type: 'array',
    maxItems: 1000,
    items: {
      anyOf: [
        { type: 'string', minLength: 1 },
        {
          type: 'object',
          minProperties: 1,
          maxProperties: 1,
          additionalProperties: {
            anyOf: [
              { type: 'string', minLength: 1 },
              { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
            ],
          },
        },
      ],
    },
  }) as const;

/** Names of files under .dprof/, so no path. */
export const PROGRAM_NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$';

export const CHECK_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'dprof.yml: what dprof check runs, and what must hold',
  type: 'object',
  required: ['programs'],
  additionalProperties: false,
  properties: {
    programs: {
      description: 'By a name of your choice, which baselines and results carry.',
      type: 'object',
      minProperties: 1,
      maxProperties: 1000,
      propertyNames: { pattern: PROGRAM_NAME },
      additionalProperties: {
        type: 'object',
        required: ['run'],
        additionalProperties: false,
        properties: {
          run: words('The program and its arguments; a text is split at blanks, outside of quotes.'),
          build: text('A command of the shell that builds the program; it runs first, each time.'),
          directory: text('Where both run; from the folder of dprof.yml (default: there).'),
          environment: {
            description: 'Variables of the environment, beside those that dprof check has itself.',
            type: 'object',
            additionalProperties: { type: ['string', 'number'] },
          },
          stdin: text('A file that the program reads as its standard input (default: nothing).'),
          inputs: {
            description: 'Files that the run depends on, or patterns (data/*.csv): if one changes, it runs again.',
            type: 'array',
            items: { type: 'string', minLength: 1 },
          },
          status: {
            description: 'The exit status that the run must end with.',
            type: 'integer',
            minimum: 0,
            maximum: 255,
            default: 0,
          },
          machine: text('A preset or a file, as --machine of dprof replay (default: default).'),
          cores: {
            description: 'As --cores (default: one for each thread).',
            type: 'integer',
            minimum: 1,
          },
          from: text('What is counted begins behind this place of the run, as --from of dprof report: mark:NAME.'),
          to: text('And ends there, as --to.'),
          schedules: {
            description: 'Orders of threads to replay; a limit must hold in all (default: 4 if counts depend on them).',
            type: 'integer',
            minimum: 1,
            maximum: 1000,
          },
          limits: statements('What must hold: "struct node: bytes <= 64, lines <= 1", "l2-misses per lookup <= 2.5".'),
          baseline: statements('Numbers that may not grow: "estimated-cycles within 1 %"; kept in .dprof/NAME.json.'),
        },
      },
    },
  },
} as const;
