import { limits } from '@sluice/types';
import * as z from 'zod';

/** A name becomes a part of an address, and `..` there would lead to another one. */
const name = z
  .string()
  .min(1)
  .max(limits.nameCharactersMax)
  .refine((text) => text !== '.' && text !== '..', 'must not be . or ..');
const fieldName = z.string().min(1).max(limits.nameCharactersMax);
const integration = name
  .optional()
  .describe('Name or id of the integration. Leave it out if the customer has only one.');
const object = name.describe('Name of the object, as describe_objects lists it.');

export const describeArguments = z.strictObject({
  integration,
  object: object.optional().describe('List the fields of this object. Leave it out to list integrations and objects.'),
  nameContains: fieldName.optional().describe('Only fields with this in their name or label, in any case.'),
  writableOnly: z.boolean().optional().describe('Only fields that can be written.'),
});

export const searchArguments = z.strictObject({
  integration,
  object,
  filters: z
    .array(
      z.strictObject({
        field: fieldName.describe('Name or mappedName of the field.'),
        value: z.union([z.string(), z.number(), z.boolean()]).describe('What the field must equal.'),
      }),
    )
    .max(limits.searchFiltersMax)
    .default([])
    .describe('A record must match all of them. The only comparison is equality.'),
  fields: z
    .array(fieldName)
    .max(100)
    .optional()
    .describe(
      'Only these fields of each record. Default: every field that the integration reads. Fields of filters are always read.',
    ),
  limit: z.int().min(1).max(limits.searchPageRecords).default(20).describe('Records at most.'),
});

export const explainArguments = z.strictObject({
  operationId: name.describe('Id of the operation: operationId of a write, whether it succeeded or failed.'),
  record: z.int().min(0).optional().describe('Only the record of this index, from 0.'),
});

const values = z
  .record(fieldName, z.unknown())
  .meta({ minProperties: 1, maxProperties: limits.recordFieldsMax })
  .describe('Field name to value.');

export const createArguments = z.strictObject({
  integration,
  object,
  fields: values,
  dryRun: z.boolean().default(false).describe('Write nothing: return each field as it would be sent, and why.'),
  asynchronous: z
    .boolean()
    .default(false)
    .describe('Accept it now and write it later, with retries. Default: write it now and return the result.'),
  idempotencyKey: z
    .string()
    .min(1)
    .max(limits.idempotencyKeyCharactersMax)
    .optional()
    .describe(
      'Any text. Repeat a call with the same key and the same arguments, and nothing is written twice. Default: a new one, which the reply names.',
    ),
});

export const updateArguments = createArguments.extend({
  id: name.describe("The provider's id of the record: id of a search, recordId of a create."),
});
