import { ValidationError } from '@sluice/errors';
import type { Capabilities } from '@sluice/connectors';
import type { WriteRequest } from '@sluice/types';
import { connector, hubspotLike } from '../../test/builders';
import { batchLimit, checkCapabilities, checkIfEmpty, checkModule } from './write-rules';

const nothing: Capabilities = {
  ...hubspotLike,
  batchCreate: false,
  batchUpdate: false,
  associations: false,
  delete: false,
  forwardedHeaders: false,
};
const everything: Capabilities = {
  ...hubspotLike,
  delete: true,
  associations: { create: true, update: true },
  forwardedHeaders: true,
};
const association = { to: { id: '1' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }] };
const request = (o: Partial<WriteRequest>): WriteRequest => ({ groupRef: 'g', type: 'create', record: { a: 1 }, ...o });

/** `all` and `most` have everything, `most` no delete. */
const providers = [
  connector({ provider: 'acme', capabilities: nothing }),
  connector({ provider: 'most', capabilities: { ...everything, delete: false } }),
  connector({ provider: 'all', capabilities: everything }),
];

function issuesOf(capabilities: Capabilities, o: Partial<WriteRequest>) {
  try {
    checkCapabilities(connector({ provider: 'acme', capabilities }), request(o), providers);
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
  return undefined;
}

describe('checkCapabilities', () => {
  // Design section 6: refused with 400, naming the capability.
  it.each<[name: string, o: Partial<WriteRequest>, detail: string]>([
    [
      'type',
      { type: 'delete', record: { id: '1' } },
      'acme does not offer deletion through this service; offered by all',
    ],
    ['batch', { batch: [{ record: { a: 1 } }] }, 'acme does not offer batches of create; offered by most, all'],
    [
      'batch',
      { type: 'update', batch: [{ record: { id: '1' } }] },
      'acme does not offer batches of update; offered by most, all',
    ],
    [
      'associations',
      { associations: [association] },
      'acme does not offer associations on create; offered by most, all',
    ],
    ['headers', { headers: [{ key: 'a', value: 'b' }] }, 'acme does not offer forwarded headers; offered by most, all'],
  ])(
    'refuses %s where the provider lacks it [write.rule-1-providers] [write.batch-providers] [write.associations-provider] [write.headers-provider]',
    (name, o, detail) => {
      const error = issuesOf(nothing, o);
      expect(error?.code).toBe('write.capability-missing');
      expect(error?.issues).toEqual([{ in: 'body', name, detail }]);
      expect(error?.detail).toBe(`${detail}.`);
      expect(issuesOf(everything, o)).toBeUndefined();
    },
  );

  it('lists everything that is missing at once', () => {
    const item = { record: { a: 1 }, associations: [association] };
    const error = issuesOf(nothing, { batch: [item], headers: [{ key: 'a', value: 'b' }] });
    expect(error?.issues.map((issue) => issue.name)).toEqual(['batch', 'associations', 'headers']);
  });

  it('asks for associations by write type, on each item of a batch', () => {
    const batch = [{ record: { id: '1' } }, { record: { id: '2' }, associations: [association] }];
    expect(issuesOf(hubspotLike, { type: 'update', batch })?.issues[0]?.detail).toContain('associations on update');
    expect(issuesOf(hubspotLike, { batch })).toBeUndefined();
  });

  it('asks for batches by write type', () => {
    const createsOnly = { ...hubspotLike, batchUpdate: false } as const;
    expect(issuesOf(createsOnly, { batch: [{ record: { a: 1 } }] })).toBeUndefined();
    expect(issuesOf(createsOnly, { type: 'update', batch: [{ record: { id: '1' } }] })?.issues[0]?.name).toBe('batch');
  });

  it('accepts empty lists: they need nothing', () => {
    expect(issuesOf(nothing, { associations: [], headers: [] })).toBeUndefined();
  });

  it('lets auto-batching pass everywhere: single calls under one operation', () => {
    expect(issuesOf(nothing, { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 } })).toBeUndefined();
  });
});

it('says so when no provider has it', () => {
  const one = connector({ provider: 'acme', capabilities: nothing });
  const refused = () => checkCapabilities(one, request({ type: 'delete', record: { id: '1' } }), [one]);
  expect(refused).toThrow(/offered by no provider/);
});

describe('checkIfEmpty', () => {
  const plan = (ifEmpty?: string[]) => ({
    type: 'update' as const,
    objectName: 'x',
    fields: {},
    ...(ifEmpty && { ifEmpty }),
  });
  const without = connector({ provider: 'acme', capabilities: { ...nothing, ifEmpty: false } });

  it('refuses such a plan where records cannot be read, naming the field and who can', () => {
    expect(() => checkIfEmpty(without, [plan(), plan(['phone'])], providers)).toThrow(
      /acme does not offer writeOnUpdate ifEmpty \(phone\); offered by acme, most, all/,
    );
  });

  it('lets plans without it pass, and every plan where records can be read', () => {
    expect(() => checkIfEmpty(without, [plan()], providers)).not.toThrow();
    expect(() => checkIfEmpty(connector(), [plan(['phone'])], providers)).not.toThrow();
  });
});

describe('batchLimit', () => {
  it('is that of the write type, none for delete and where there is no endpoint', () => {
    const capabilities = { ...hubspotLike, batchCreate: { limit: 7 }, batchUpdate: { limit: 9 } };
    expect(batchLimit(capabilities, 'create')).toBe(7);
    expect(batchLimit(capabilities, 'update')).toBe(9);
    expect(batchLimit(capabilities, 'delete')).toBeUndefined();
    expect(batchLimit(nothing, 'create')).toBeUndefined();
  });
});

it('a module that the connector does not serve is refused by its name', () => {
  const acme = connector({ provider: 'acme', modules: ['crm'] });
  for (const served of [undefined, 'crm'])
    expect(() => checkModule(acme, served, 'write.capability-missing')).not.toThrow();
  const detail = 'the module "desk" of acme is not served; served: crm';
  expect(() => checkModule(acme, 'desk', 'search.capability-missing')).toThrow(
    expect.objectContaining({
      code: 'search.capability-missing',
      detail: `integrationId: in its manifest ${detail}.`,
      issues: [{ in: 'path', name: 'integrationId', detail }],
      remedy: 'Deploy the integration with a module that is served, or without one.',
    }),
  );
});
