import {
  createApiKeyRequestSchema,
  limits,
  pageProperties,
  patchConfigContentRequestSchema,
  searchRequestSchema,
  updateInstallationRequestSchema,
  writeRequestSchema,
  type JsonSchema,
} from '@sluice/types';
import { validate } from './validate';

const record = { email: 'a@example.com' };
const write = (more: object) => ({ groupRef: 'g', type: 'create', mode: 'asynchronous', record, ...more });
const listOf = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const filter = { fieldName: 'email', operator: 'eq', value: 'a@example.com' };
const change = { op: 'remove', path: '/a' };

interface Edge {
  readonly name: string;
  readonly schema: JsonSchema;
  /** A body in which what is limited has this size. */
  readonly body: (size: number) => unknown;
  readonly min?: number;
  readonly max: number;
}

const edges: readonly Edge[] = [
  {
    name: 'records of a batch',
    schema: writeRequestSchema,
    body: (size) => ({ groupRef: 'g', type: 'create', batch: listOf(size, { record }) }),
    min: 1,
    max: 100,
  },
  {
    name: 'maxDelayMinutes',
    schema: writeRequestSchema,
    body: (maxDelayMinutes) => write({ autoBatchPolicy: { maxDelayMinutes } }),
    min: 1,
    max: 1440,
  },
  {
    name: 'retryDeadlineHours',
    schema: writeRequestSchema,
    body: (retryDeadlineHours) => write({ autoBatchPolicy: { maxDelayMinutes: 5, retryDeadlineHours } }),
    min: 1,
    max: 48,
  },
  {
    name: 'deadlineHours',
    schema: writeRequestSchema,
    body: (deadlineHours) => write({ retryPolicy: { deadlineHours } }),
    min: 1,
    max: 48,
  },
  {
    name: 'forwarded headers',
    schema: writeRequestSchema,
    body: (size) => write({ headers: listOf(size, { key: 'x-a', value: 'b' }) }),
    max: 20,
  },
  {
    name: 'filters of a search',
    schema: searchRequestSchema,
    body: (size) => ({ objectName: 'contacts', fieldFilters: listOf(size, filter) }),
    max: 20,
  },
  {
    name: 'changes of a JSON Patch',
    schema: patchConfigContentRequestSchema,
    body: (size) => ({ groupRef: 'g', action: 'write', changes: listOf(size, change) }),
    min: 1,
    max: 100,
  },
  {
    name: 'paths of an update mask',
    schema: updateInstallationRequestSchema,
    body: (size) => ({ updateMask: listOf(size, 'connectionId'), installation: { connectionId: 'c' } }),
    max: 100,
  },
  {
    name: 'characters of a groupRef',
    schema: writeRequestSchema,
    body: (size) => write({ groupRef: 'g'.repeat(size) }),
    min: 1,
    max: 255,
  },
  {
    name: 'characters of the label of a key',
    schema: createApiKeyRequestSchema,
    body: (size) => ({ label: 'l'.repeat(size) }),
    min: 1,
    max: 255,
  },
];

// Specification, Limits; the others: rulings. `tests/move-limits.mjs` moves each number by one and wants a red test.
it.each(edges)('$name: takes $min to $max and nothing beyond', ({ schema, body, min, max }) => {
  const check = validate(schema);
  const takes = (size: number): boolean => {
    try {
      check(body(size));
      return true;
    } catch {
      return false;
    }
  };
  expect([takes(max), takes(max + 1)]).toEqual([true, false]);
  const lowest = min ?? 1;
  expect([takes(lowest), min === undefined || !takes(lowest - 1)]).toEqual([true, true]);
});

it('knows the numbers', () => {
  expect(limits).toMatchObject({ autoBatchRecordsMax: 100, deadlineHoursDefault: 1, recordFieldsMax: 1000 });
  // Ours, kept by suites that would not see one byte more.
  expect(limits).toMatchObject({
    singleWriteBytesMax: 1_000_000,
    batchWriteBytesMax: 5_000_000,
    providerMetadataBytesMax: 16_384,
    waitSecondsMin: 1,
    waitSecondsMax: 30,
  });
});

it('asks for 1 to 1000 of a list, and nothing beyond', () => {
  const check = validate({ type: 'object', properties: pageProperties }, 'query');
  for (const pageSize of ['1', '1000']) expect(check({ pageSize })).toEqual({ pageSize: Number(pageSize) });
  for (const pageSize of ['0', '1001']) expect(() => check({ pageSize })).toThrow('pageSize');
});
