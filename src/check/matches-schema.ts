// Stage: check. Whether data are as a JSON schema says: the keywords of dprof.yml's and of baselines' schemas. A schema
// library is loaded only to say what is wrong, since it takes longer to begin than a check that repeats nothing.

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: { readonly pattern: string };
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Of keywords that say nothing of the data. */
const WORDS = ['$schema', 'title', 'description', 'default'];
const KEYWORDS: Readonly<Record<keyof Schema, (data: unknown, schema: Schema) => boolean>> = {
  type: (data, { type = [] }) => [type].flat().some((one) => isOfType(data, one)),
  const: (data, schema) => data === schema.const,
  anyOf: (data, { anyOf = [] }) => anyOf.some((one) => matches(data, one)),
  required: (data, { required = [] }) => !isMapping(data) || required.every((name) => Object.hasOwn(data, name)),
  properties: (data, { properties = {} }) =>
    !isMapping(data) ||
    Object.entries(properties).every(([name, of]) => !Object.hasOwn(data, name) || matches(data[name], of)),
  additionalProperties: (data, { additionalProperties: of, properties = {} }) =>
    !isMapping(data) ||
    Object.keys(data).every(
      (name) => Object.hasOwn(properties, name) || of === true || (of !== false && matches(data[name], of ?? {})),
    ),
  propertyNames: (data, { propertyNames }) =>
    !isMapping(data) || Object.keys(data).every((name) => new RegExp(propertyNames?.pattern ?? '', 'u').test(name)),
  minProperties: (data, { minProperties = 0 }) => !isMapping(data) || Object.keys(data).length >= minProperties,
  maxProperties: (data, { maxProperties = 0 }) => !isMapping(data) || Object.keys(data).length <= maxProperties,
  items: (data, { items = {} }) => !Array.isArray(data) || data.every((one) => matches(one, items)),
  minItems: (data, { minItems = 0 }) => !Array.isArray(data) || data.length >= minItems,
  maxItems: (data, { maxItems = 0 }) => !Array.isArray(data) || data.length <= maxItems,
  minLength: (data, { minLength = 0 }) => typeof data !== 'string' || data.length >= minLength,
  minimum: (data, { minimum = 0 }) => typeof data !== 'number' || data >= minimum,
  maximum: (data, { maximum = 0 }) => typeof data !== 'number' || data <= maximum,
};

/** Throws for a keyword that it does not know. */
export function matches(data: unknown, schema: object): boolean {
  return Object.keys(schema).every((keyword) => {
    if (WORDS.includes(keyword)) return true;
    if (!Object.hasOwn(KEYWORDS, keyword)) throw new Error(`schema: unknown keyword ${keyword}`);
    return KEYWORDS[keyword as keyof Schema](data, schema as Schema);
  });
}

function isMapping(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function isOfType(data: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(data);
  if (type === 'object') return isMapping(data);
  if (type === 'integer') return Number.isInteger(data);
  return type === 'number' ? Number.isFinite(data) : typeof data === type;
}
