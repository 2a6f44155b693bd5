// Stage: check. What is wrong with data that do not match a schema. Loaded only then.

import { Ajv, type ErrorObject } from 'ajv';

/** At least one. */
export function schemaErrors(data: unknown, schema: object): readonly ErrorObject[] {
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
  validate(data);
  return validate.errors ?? [];
}
