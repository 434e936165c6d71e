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
import { validate } from './route';

const record = { email: 'a@example.com' };
const write = (more: object) => ({ groupRef: 'g', type: 'create', mode: 'asynchronous', record, ...more });
const listOf = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const filter = { fieldName: 'email', operator: 'eq', value: 'a@example.com' };
const change = { op: 'remove', path: '/a' };

/** What is limited, a body in which it has a size, and the sizes that are taken; zero where none is too small. */
const edges: readonly [what: string, JsonSchema, body: (size: number) => unknown, min: number, max: number][] = [
  [
    'records of a batch',
    writeRequestSchema,
    (size) => ({ groupRef: 'g', type: 'create', batch: listOf(size, { record }) }),
    1,
    100,
  ],
  [
    'maxDelayMinutes',
    writeRequestSchema,
    (maxDelayMinutes) => write({ autoBatchPolicy: { maxDelayMinutes } }),
    1,
    1440,
  ],
  [
    'retryDeadlineHours',
    writeRequestSchema,
    (retryDeadlineHours) => write({ autoBatchPolicy: { maxDelayMinutes: 5, retryDeadlineHours } }),
    1,
    48,
  ],
  ['deadlineHours', writeRequestSchema, (deadlineHours) => write({ retryPolicy: { deadlineHours } }), 1, 48],
  [
    'forwarded headers',
    writeRequestSchema,
    (size) => write({ headers: listOf(size, { key: 'x-a', value: 'b' }) }),
    0,
    20,
  ],
  [
    'filters of a search',
    searchRequestSchema,
    (size) => ({ objectName: 'contacts', fieldFilters: listOf(size, filter) }),
    0,
    20,
  ],
  [
    'changes of a JSON Patch',
    patchConfigContentRequestSchema,
    (size) => ({ groupRef: 'g', action: 'write', changes: listOf(size, change) }),
    1,
    100,
  ],
  [
    'paths of an update mask',
    updateInstallationRequestSchema,
    (size) => ({ updateMask: listOf(size, 'connectionId'), installation: { connectionId: 'c' } }),
    0,
    100,
  ],
  ['characters of a groupRef', writeRequestSchema, (size) => write({ groupRef: 'g'.repeat(size) }), 1, 255],
  ['characters of the label of a key', createApiKeyRequestSchema, (size) => ({ label: 'l'.repeat(size) }), 1, 255],
];

// Specification, Limits; the others: rulings. `tests/move-limits.mjs` moves each number by one and wants a red test.
it.each(edges)('%s: takes its sizes and nothing beyond', (...[, schema, body, min, max]) => {
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
  expect([takes(Math.max(min, 1)), min > 0 && takes(min - 1)]).toEqual([true, false]);
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
