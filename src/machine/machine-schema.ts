// Stage: command line -> replay. The table of a machine file's fields as JSON Schema; docs/machine.schema.json is this,
// printed.

import { MACHINE_FIELDS, SHORTHANDS, SIZE_PATTERN, type FieldRule, type FieldTable } from './machine-fields.js';
import { MOST_BYTES } from './sizes.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

export function machineSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Machine of dprof',
    description: 'docs/machines.md says what each word means',
    ...schemaOfTable(MACHINE_FIELDS),
  };
}

function schemaOfTable(fields: FieldTable): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, rule]) => [name, { description: rule.about, ...schemaOf(rule) }]),
  );
  return { type: 'object', additionalProperties: false, properties };
}

function schemaOf(rule: FieldRule): JsonSchema {
  switch (rule.kind) {
    case 'text':
      return { type: 'string' };
    case 'count':
      return { type: 'integer', minimum: rule.least, maximum: rule.most };
    case 'size':
      return rule.of === undefined
        ? {
            anyOf: [
              { type: 'integer', minimum: 1, maximum: MOST_BYTES - 1 },
              { type: 'string', pattern: SIZE_PATTERN },
            ],
          }
        : { enum: rule.of.flatMap((bytes) => [bytes, ...spellings(bytes)]) };
    case 'choice':
      return { enum: rule.of };
    case 'choices':
      return { type: 'array', uniqueItems: true, items: { enum: rule.of } };
    case 'group':
      return {
        anyOf: [
          { type: 'string', pattern: SHORTHANDS[rule.short].pattern },
          ...(rule.canBeNone ? [{ const: 'none' }] : []),
          schemaOfTable(rule.fields),
        ],
      };
  }
}

/** The spellings of a size that is one of a few allowed ones: "4K" and "2M", as the documentation writes them. */
export function spellings(bytes: number): string[] {
  return bytes >= 2 ** 20 ? [`${bytes / 2 ** 20}M`] : [`${bytes / 2 ** 10}K`];
}
