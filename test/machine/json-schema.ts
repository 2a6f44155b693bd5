// Stage: test. Just as much JSON Schema as the schema of machine files uses; a keyword that is not known here is an
// error, so none goes unchecked.

export type Schema = { readonly [keyword: string]: unknown };

const keywords: Record<string, (schema: Schema, value: unknown) => boolean> = {
  $schema: () => true,
  title: () => true,
  description: () => true,
  type: ({ type }, value) => typeOf(value) === type || (type === 'integer' && Number.isInteger(value)),
  minimum: ({ minimum }, value) => typeof value !== 'number' || value >= (minimum as number),
  maximum: ({ maximum }, value) => typeof value !== 'number' || value <= (maximum as number),
  pattern: ({ pattern }, value) => typeof value !== 'string' || new RegExp(pattern as string).test(value),
  enum: (schema, value) => (schema.enum as unknown[]).includes(value),
  const: (schema, value) => schema.const === value,
  anyOf: ({ anyOf }, value) => (anyOf as Schema[]).some((one) => accepts(one, value)),
  items: ({ items }, value) => !Array.isArray(value) || value.every((one) => accepts(items as Schema, one)),
  uniqueItems: (_, value) => !Array.isArray(value) || new Set(value).size === value.length,
  properties: ({ properties }, value) =>
    !isObject(value) ||
    Object.entries(properties as Record<string, Schema>).every(
      ([name, one]) => !Object.hasOwn(value, name) || accepts(one, value[name]),
    ),
  additionalProperties: ({ properties, additionalProperties }, value) => {
    if (additionalProperties !== false) throw new Error('additionalProperties is only known as false');
    return !isObject(value) || Object.keys(value).every((name) => Object.hasOwn(properties as object, name));
  },
};

export function accepts(schema: Schema, value: unknown): boolean {
  return Object.keys(schema).every((keyword) => {
    if (!Object.hasOwn(keywords, keyword)) throw new Error(`keyword ${keyword} is not known`);
    return keywords[keyword](schema, value);
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeOf(value) === 'object';
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
