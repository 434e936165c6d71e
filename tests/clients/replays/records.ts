import { acceptedWrite, batchWrite, refusedWrite, searchReply, singleWrite } from '../published/records';
import { invalidInput, json, problem, type Replay } from '../replay';

const I = '/projects/{projectIdOrName}/integrations/{integrationId}';
const write = { client: 'published API', base: 'writeUrl', request: `POST ${I}/objects/{objectName}` } as const;
const sdk = { ...write, client: 'sdk-node-write' } as const;
const search = { client: 'published API', base: 'searchUrl', request: `POST ${I}` } as const;
const person = (next: string) => ({ email: `replayed-${next}@example.com`, firstname: 'Zoë' });
const refused = { email: 'no email' };

/** API reference, section G: writes. `sdk-node-write` sends `groupRef`, `type`, `mode`, `record` and `associations`. */
export const writes: readonly Replay[] = [
  {
    ...sdk,
    call: 'write.records, create',
    body: ({ groupRef }, { next }) => ({ groupRef, type: 'create', mode: 'synchronous', record: person(next()) }),
    status: 200,
    reply: json(singleWrite),
  },
  {
    ...sdk,
    call: 'write.records, refused by the provider',
    body: ({ groupRef }) => ({ groupRef, type: 'create', mode: 'synchronous', record: refused }),
    status: 422,
    reply: json(refusedWrite),
  },
  {
    ...sdk,
    call: 'write.records, asynchronous',
    body: ({ groupRef }, { next }) => ({ groupRef, type: 'create', mode: 'asynchronous', record: person(next()) }),
    status: 200,
    reply: json(acceptedWrite),
  },
  {
    ...sdk,
    call: 'write.records, associations',
    // The SDK leaves out what its own schema does not name: everything in an association.
    body: ({ groupRef }, { next }) => ({ groupRef, type: 'create', record: person(next()), associations: [{}] }),
    status: 400,
    reply: invalidInput,
    notDone: 'the SDK sends `associations: [{}]`, whatever it is given: nobody can know what was meant',
  },
  {
    ...write,
    call: 'writeRecords, a batch',
    body: ({ groupRef }, { next }) => ({
      groupRef,
      type: 'create',
      mode: 'synchronous',
      batch: [{ record: person(next()) }, { record: person(next()) }],
    }),
    status: 200,
    reply: json(batchWrite),
  },
  {
    ...write,
    call: 'writeRecords, a batch of which one is refused',
    body: ({ groupRef }, { next }) => ({
      groupRef,
      type: 'create',
      mode: 'synchronous',
      batch: [{ record: person(next()) }, { record: refused }],
    }),
    status: 200,
    reply: json(batchWrite),
  },
  {
    ...write,
    call: 'writeRecords, a batch of which all are refused',
    body: ({ groupRef }) => ({
      groupRef,
      type: 'create',
      mode: 'synchronous',
      batch: [{ record: refused }, { record: refused }],
    }),
    status: 422,
    reply: json(batchWrite),
  },
  {
    ...write,
    call: 'writeRecords, auto-batched',
    body: ({ groupRef }, { next }) => ({
      groupRef,
      type: 'create',
      mode: 'asynchronous',
      record: person(next()),
      autoBatchPolicy: { maxDelayMinutes: 1, retryDeadlineHours: 2 },
    }),
    status: 200,
    reply: json(acceptedWrite),
  },
  {
    ...write,
    call: 'writeRecords, without a type',
    body: ({ groupRef }, { next }) => ({ groupRef, record: person(next()) }),
    status: 400,
    reply: invalidInput,
    differs: 'a problem document where text/plain is published',
  },
];

const filter = (value: unknown) => [{ fieldName: 'email', operator: 'eq', value }];

/** API reference, section G: searches. */
export const searches: readonly Replay[] = [
  {
    ...search,
    call: 'searchRecords',
    query: ({ groupRef }) => ({ groupRef }),
    body: () => ({ objectName: 'contacts', fieldFilters: filter('nobody@example.com') }),
    status: 200,
    reply: json(searchReply),
    differs: 'members `results` and `id`, as the specification says; published is `result` without an id',
  },
  {
    ...search,
    call: 'searchRecords, an unknown operator',
    query: ({ groupRef }) => ({ groupRef }),
    body: () => ({ objectName: 'contacts', fieldFilters: [{ fieldName: 'email', operator: 'gt', value: 'a' }] }),
    status: 400,
    reply: invalidInput,
    differs: 'application/problem+json where application/json is published',
  },
  {
    ...search,
    call: 'searchRecords, an unknown group',
    query: () => ({ groupRef: 'nobody' }),
    body: () => ({ objectName: 'contacts', fieldFilters: filter('a@example.com') }),
    status: 404,
    reply: problem,
  },
];
