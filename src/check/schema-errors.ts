// Stage: check. What is wrong with data by a JSON schema.

import { Ajv, type ErrorObject } from 'ajv';

/** None: they match it. */
export function schemaErrors(data: unknown, schema: object): readonly ErrorObject[] {
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
  validate(data);
  return validate.errors ?? [];
}
