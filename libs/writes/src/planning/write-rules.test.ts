import type { Capabilities } from '@sluice/connectors';
import { ValidationError } from '@sluice/errors';
import type { InstallationContext, WriteRequest } from '@sluice/types';
import {
  connector,
  type ContactSettings,
  contactsInstallation,
  exactFields,
  hubspotLike,
  planWrite,
} from '../../test/builders';
import { batchLimit, checkCapabilities, checkIfEmpty, checkModule } from './plan-write';
import { inheritedMappings } from './write-rules';

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

const writing = {
  create: () => Promise.reject(new Error('not called')),
  update: () => Promise.reject(new Error('not called')),
};
/** `all` and `most` have everything, `most` no delete. */
const providers = [
  connector({ provider: 'acme', capabilities: nothing, ...writing }),
  connector({ provider: 'most', capabilities: { ...everything, delete: false }, ...writing }),
  connector({ provider: 'all', capabilities: everything, ...writing }),
];

function issuesOf(capabilities: Capabilities, o: Partial<WriteRequest>) {
  try {
    checkCapabilities(connector({ provider: 'acme', capabilities, ...writing }), request(o), providers);
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

it.each(['create', 'update'] as const)('refuses %s at a provider that is only connected, naming who has it', (type) => {
  const refused = () =>
    checkCapabilities(connector({ provider: 'bare', capabilities: nothing }), request({ type }), providers);
  expect(refused).toThrow(`bare does not offer ${type} through this service; offered by acme, most, all`);
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

const of = (settings: ContactSettings) => {
  const mappings = inheritedMappings(contactsInstallation(settings), 'contacts');
  return mappings && Object.fromEntries(mappings);
};
const read = { selectedFieldMappings: { mail: 'email' } };

describe('inheritedMappings', () => {
  it.each<[source: string, settings: ContactSettings]>([
    ['the manifest', { inherits: true }],
    ['the config', { write: { inheritMapping: true } }],
    ['both', { inherits: true, write: { inheritMapping: true } }],
    ['the manifest against the config', { inherits: true, write: { inheritMapping: false } }],
    ['the config against the manifest', { inherits: false, write: { inheritMapping: true } }],
  ])('are inherited when %s says so', (_, settings) => {
    expect(of({ ...settings, read })).toEqual({ mail: 'email' });
  });

  it.each<[source: string, settings: ContactSettings]>([
    ['nobody says so', {}],
    ['both deny it', { inherits: false, write: { inheritMapping: false } }],
  ])('are none when %s', (_, settings) => {
    expect(of({ ...settings, read })).toBeUndefined();
  });

  it('are those of the same object only', () => {
    const context = contactsInstallation({ inherits: true, read });
    expect(inheritedMappings(context, 'deals')).toBeUndefined();
  });

  it('are empty where nothing is mapped', () => {
    expect(of({ inherits: true })).toEqual({});
  });

  // Design section 6, mapping sources: manifest, dynamic mappings with a field, then the user's selection.
  it('come from three sources, of which the user wins', () => {
    const requiredFields = [
      { fieldName: 'email' },
      { fieldName: 'firstname', mapToName: 'first' },
      { fieldName: 'lastname', mapToName: 'last' },
      { fieldName: 'company', mapToName: 'firm' },
    ];
    const dynamicMappingsInput = [
      { mapToName: 'last', fieldName: 'surname' },
      { mapToName: 'firm', fieldName: 'employer' },
      { mapToName: 'note' },
    ];
    const mapped = of({
      inherits: true,
      declared: { requiredFields, optionalFields: [{ mapToName: 'phone' }, { mapToName: 'fax' }] },
      read: {
        dynamicMappingsInput,
        selectedFieldMappings: { firm: 'organisation', fax: 'fax_number', title: 'jobtitle' },
      },
    });
    expect(mapped).toEqual({
      first: 'firstname',
      last: 'surname',
      firm: 'organisation',
      fax: 'fax_number',
      title: 'jobtitle',
      note: undefined,
      phone: undefined,
    });
  });

  it('take an empty choice for none', () => {
    expect(of({ inherits: true, read: { selectedFieldMappings: { mail: '' } } })).toEqual({ mail: undefined });
  });

  const writing = (o: Partial<InstallationContext>) => ({ ...contactsInstallation({ read }), ...o });
  const found = (context: InstallationContext) => inheritedMappings(context, 'contacts');
  type Written = NonNullable<NonNullable<InstallationContext['manifest']['write']>['objects']>;
  const declaring = (...objects: Written) => ({ name: 'crm', provider: 'hubspot', write: { objects } });

  it('are none where neither manifest nor config mentions writing or reading', () => {
    const manifest = { name: 'crm', provider: 'hubspot' };
    const config = { provider: 'hubspot' };
    expect(found(writing({ manifest, config }))).toBeUndefined();
    expect(found(writing({ manifest: { ...manifest, write: {} }, config: { ...config, write: {} } }))).toBeUndefined();
    const inherits = declaring({ objectName: 'contacts', inheritMapping: true });
    expect(found(writing({ manifest: inherits, config }))).toEqual(new Map());
    expect(found(writing({ manifest: { ...inherits, read: {} }, config: { ...config, read: {} } }))).toEqual(new Map());
  });

  it('go by the object that is written, not by its neighbours', () => {
    const objects = [
      { objectName: 'deals', inheritMapping: true },
      { objectName: 'contacts', inheritMapping: false },
    ];
    expect(found(writing({ manifest: declaring(...objects) }))).toBeUndefined();
    const reading = {
      objects: [
        { objectName: 'deals', requiredFields: [{ fieldName: 'amount', mapToName: 'sum' }] },
        { objectName: 'contacts', requiredFields: [{ fieldName: 'email', mapToName: 'mail' }] },
      ],
    };
    const manifest = { ...declaring({ objectName: 'contacts', inheritMapping: true }), read: reading };
    expect(found(writing({ manifest, config: { provider: 'hubspot' } }))).toEqual(new Map([['mail', 'email']]));
  });

  // A config map that was built carelessly could answer for an object that it has no entry of.
  it('are read from the own entries of the config only', () => {
    const foreign = (entry: object): never =>
      Object.create({ contacts: { objectName: 'contacts', ...entry } }) as never;
    const byWrite = { provider: 'hubspot', write: { objects: foreign({ inheritMapping: true }) } };
    expect(found(writing({ config: byWrite }))).toBeUndefined();
    const manifest = declaring({ objectName: 'contacts', inheritMapping: true });
    const byRead = { provider: 'hubspot', read: { objects: foreign({ selectedFieldMappings: { mail: 'email' } }) } };
    expect(found(writing({ manifest, config: byRead }))).toEqual(new Map());
  });
});

const record = { stage: 'lead', note: 'x' };
const fieldsOf = (context: InstallationContext, type: 'create' | 'update') =>
  planWrite(context, exactFields, { type, objectName: 'contacts', record: { ...record, id: '7' }, path: 'record' }).plan
    .fields;

// Rules are kept with the config they were read from: another one, or another manifest, must never see them.
describe('rules that are kept', () => {
  const context = contactsInstallation({ write: { selectedFieldSettings: { stage: { writeOnUpdate: 'never' } } } });

  it('are those of the type', () => {
    expect(fieldsOf(context, 'create')).toMatchObject({ stage: 'lead' });
    expect(fieldsOf(context, 'update')).toEqual({ note: 'x' });
    expect(fieldsOf(context, 'create')).toMatchObject({ stage: 'lead' });
  });

  it('end with the config', () => {
    expect(fieldsOf(context, 'update')).toEqual({ note: 'x' });
    const changed = contactsInstallation({ write: { selectedFieldSettings: { note: { writeOnUpdate: 'never' } } } });
    expect(fieldsOf({ ...context, config: changed.config }, 'update')).toEqual({ stage: 'lead' });
  });

  it('are read again for another manifest and another switch of the project', () => {
    const mapped = contactsInstallation({ inherits: true, dropUnmappedFields: true });
    const plain = { ...mapped, dropUnmappedFields: false };
    expect(fieldsOf(plain, 'update')).toMatchObject({ note: 'x' });
    expect(() => fieldsOf(mapped, 'create')).toThrow(/no field is left/);
    expect(fieldsOf({ ...mapped, manifest: contactsInstallation().manifest }, 'update')).toMatchObject({ note: 'x' });
  });
});
