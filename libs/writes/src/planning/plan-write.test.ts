import { ValidationError } from '@sluice/errors';
import type { FieldSettings, InstallationContext, WriteRecord, WriteType } from '@sluice/types';
import {
  contactsInstallation,
  exactFields,
  planWrite,
  type ContactSettings,
  type PlannableWrite,
} from '../../test/builders';
import { planRecord } from './plan-write';
import { writeRulesOf } from './write-rules';

function plan(context: InstallationContext, type: WriteType, record: WriteRecord, o: Partial<PlannableWrite> = {}) {
  return planWrite(context, exactFields, { type, objectName: 'contacts', record, path: 'record', ...o });
}

function fieldsOf(settings: ContactSettings, type: WriteType, record: WriteRecord) {
  return plan(contactsInstallation(settings), type, record).plan.fields;
}

function refusalOf(settings: ContactSettings, type: WriteType, record: WriteRecord): ValidationError {
  try {
    plan(contactsInstallation(settings), type, record, { path: 'batch[2].record' });
  } catch (error) {
    if (error instanceof ValidationError) return error;
  }
  throw new Error('it was not refused');
}

const withSetting = (setting: FieldSettings): ContactSettings => ({
  write: { selectedFieldSettings: { stage: setting } },
});

describe('the record', () => {
  it('goes as it is without settings: null, "" and nested values are values', () => {
    const record = {
      email: 'a@b.c',
      phone: null,
      note: '',
      tags: ['x', 1],
      nested: { y: [{}, null] },
      score: 0,
      optedIn: false,
    };
    expect(plan(contactsInstallation(), 'create', record).plan).toEqual({
      type: 'create',
      objectName: 'contacts',
      fields: record,
    });
  });

  // Specification, record: for update it includes id, for delete it contains only id.
  it('names the record by id on update and delete, and does not write id', () => {
    const update = plan(contactsInstallation(), 'update', { id: '7', email: 'x' }).plan;
    expect(update).toEqual({ type: 'update', objectName: 'contacts', recordId: '7', fields: { email: 'x' } });
    expect(plan(contactsInstallation(), 'update', { id: 7, a: 1 }).plan.recordId).toBe('7');
    expect(plan(contactsInstallation(), 'delete', { id: '7' }).plan).toEqual({
      type: 'delete',
      objectName: 'contacts',
      recordId: '7',
      fields: {},
    });
  });

  it('may carry a field called id on create', () => {
    const { plan: created } = plan(contactsInstallation(), 'create', { id: 'x', a: 1 });
    expect(created.fields).toEqual({ id: 'x', a: 1 });
    expect(created.recordId).toBeUndefined();
  });

  it('takes associations and headers along', () => {
    const associations = [
      { to: { id: '1' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }] },
    ];
    const headers = [{ key: 'a', value: 'b' }];
    expect(plan(contactsInstallation(), 'create', { a: 1 }, { associations, headers }).plan).toMatchObject({
      associations,
      headers,
    });
  });
});

// Specification, Write records, rule 5.
describe('settings of a field', () => {
  const text = { default: { stringValue: 'lead' } };

  const never = { create: { writeOnCreate: 'never' }, update: { writeOnUpdate: 'never' } } as const;
  const always = { writeOnCreate: 'always', writeOnUpdate: 'always' } as const;
  const ifEmpty = { writeOnUpdate: 'ifEmpty' } as const;

  it.each<[rule: string, setting: FieldSettings, record: WriteRecord, fields: object]>([
    ['a default fills a missing field', text, { a: 1 }, { a: 1, stage: 'lead' }],
    ['a default gives way to a value', text, { stage: 'won' }, { stage: 'won' }],
    ['a default gives way to null: null is a value', text, { stage: null }, { stage: null }],
    ['a default gives way to ""', text, { stage: '' }, { stage: '' }],
    ['a default alone is enough', text, {}, { stage: 'lead' }],
    ['writeOnCreate never leaves the field out', never.create, { a: 1, stage: 'x' }, { a: 1 }],
    ['writeOnCreate never leaves its default out', { ...text, ...never.create }, { a: 1 }, { a: 1 }],
    ['writeOnUpdate never does not touch it', never.update, { stage: 'x' }, { stage: 'x' }],
    ['always writes', always, { stage: 'x' }, { stage: 'x' }],
    ['ifEmpty writes', ifEmpty, { stage: 'x' }, { stage: 'x' }],
  ])('on create: %s', (_, setting, record, fields) => {
    const planned = plan(contactsInstallation(withSetting(setting)), 'create', record).plan;
    expect(planned.fields).toEqual(fields);
    expect(planned.ifEmpty).toBeUndefined();
  });

  it.each<[rule: string, setting: FieldSettings, record: WriteRecord, fields: object]>([
    ['a default fills a missing field', text, { a: 1 }, { a: 1, stage: 'lead' }],
    ['a default gives way to null: null is a value', text, { stage: null }, { stage: null }],
    ['a default gives way to ""', text, { stage: '' }, { stage: '' }],
    ['writeOnUpdate never leaves the field out', never.update, { a: 1, stage: 'x' }, { a: 1 }],
    ['writeOnUpdate never leaves its default out', { ...text, ...never.update }, { a: 1 }, { a: 1 }],
    ['writeOnCreate never does not touch it', never.create, { stage: 'x' }, { stage: 'x' }],
    ['always writes', always, { stage: 'x' }, { stage: 'x' }],
  ])('on update: %s', (_, setting, record, fields) => {
    const planned = plan(contactsInstallation(withSetting(setting)), 'update', { id: '7', ...record }).plan;
    expect(planned.fields).toEqual(fields);
    expect(planned.ifEmpty).toBeUndefined();
  });

  it('marks ifEmpty fields of an update for the executor, values and defaults alike', () => {
    const selectedFieldSettings = {
      stage: { writeOnUpdate: 'ifEmpty', default: { stringValue: 'lead' } },
      phone: { writeOnUpdate: 'ifEmpty' },
      fax: { writeOnUpdate: 'ifEmpty' },
    } as const;
    const planned = plan(contactsInstallation({ write: { selectedFieldSettings } }), 'update', {
      id: '7',
      phone: '1',
      a: 1,
    }).plan;
    expect(planned.fields).toEqual({ phone: '1', a: 1, stage: 'lead' });
    expect(planned.ifEmpty).toEqual(['phone', 'stage']);
  });

  it('marks the provider field where mappings are inherited', () => {
    const settings: ContactSettings = {
      inherits: true,
      read: { selectedFieldMappings: { stage: 'lifecyclestage' } },
      ...withSetting({ writeOnUpdate: 'ifEmpty' }),
    };
    expect(plan(contactsInstallation(settings), 'update', { id: '7', stage: 'x' }).plan.ifEmpty).toEqual([
      'lifecyclestage',
    ]);
  });

  it('does not take names of Object.prototype for settings', () => {
    expect(fieldsOf(withSetting({ writeOnCreate: 'never' }), 'create', { toString: 'a', valueOf: 'b' })).toEqual({
      toString: 'a',
      valueOf: 'b',
    });
  });
});

describe('nothing left to write', () => {
  it('refuses a create, naming the record', () => {
    const error = refusalOf(withSetting({ writeOnCreate: 'never' }), 'create', { stage: 'x' });
    expect(error.code).toBe('write.nothing-to-write');
    expect(error.issues).toEqual([{ in: 'body', name: 'batch[2].record', detail: error.detail }]);
  });

  it('accepts an update: it succeeds without a call', () => {
    expect(fieldsOf(withSetting({ writeOnUpdate: 'never' }), 'update', { id: '7', stage: 'x' })).toEqual({});
    expect(fieldsOf({}, 'update', { id: '7' })).toEqual({});
  });
});

// Specification, Write records, rule 6.
describe('mappings', () => {
  const read = { selectedFieldMappings: { mail: 'email', phone: 'mobilephone' } };
  const inherited: ContactSettings = { inherits: true, read };

  it('lead to the field the customer mapped, when inherited', () => {
    expect(fieldsOf(inherited, 'create', { mail: 'a', other: 1 })).toEqual({ email: 'a', other: 1 });
    expect(fieldsOf({ read }, 'create', { mail: 'a' })).toEqual({ mail: 'a' });
  });

  it('leave a provider name as it is', () => {
    expect(fieldsOf(inherited, 'create', { email: 'a' })).toEqual({ email: 'a' });
  });

  it.each<[what: string, settings: ContactSettings, record: WriteRecord, issue: object]>([
    [
      'the mapped and the provider name',
      inherited,
      { mail: 'a', email: 'b' },
      { in: 'body', name: 'batch[2].record.email', detail: 'means the same field as mail; send one of the two' },
    ],
    [
      'two mapped names',
      { inherits: true, read: { selectedFieldMappings: { mail: 'email', address: 'email' } } },
      { mail: 'a', address: 'b' },
      { in: 'body', name: 'batch[2].record.address', detail: 'means the same field as mail; send one of the two' },
    ],
  ])('refuse %s of one field', (_, settings, record, issue) => {
    const error = refusalOf(settings, 'create', record);
    expect(error.code).toBe('request.invalid');
    expect(error.issues).toEqual([issue]);
  });

  it('may exchange two names: each is meant once', () => {
    const settings = { inherits: true, read: { selectedFieldMappings: { a: 'b', b: 'a' } } };
    expect(fieldsOf(settings, 'create', { a: 1, b: 2 })).toEqual({ b: 1, a: 2 });
  });

  it('strip what the user left unset', () => {
    const settings: ContactSettings = { inherits: true, declared: { optionalFields: [{ mapToName: 'nick' }] } };
    const { plan: planned, decisions } = plan(contactsInstallation(settings), 'create', { nick: 'x', a: 1 });
    expect(planned.fields).toEqual({ a: 1 });
    const reason = 'the user chose no field for this mapped name';
    expect(decisions[0]).toEqual({ field: 'nick', value: 'x', reason, sent: false });
  });

  it('apply to defaults, which go by the name of the request', () => {
    const write = { selectedFieldSettings: { mail: { default: { stringValue: 'none@example.com' } } } };
    expect(fieldsOf({ ...inherited, write }, 'create', { a: 1 })).toEqual({ a: 1, email: 'none@example.com' });
  });

  // The value is not missing: it came under the field's other name. The caller sent one name and must not be refused for two.
  it.each([
    ['mail', { email: 'sent' }],
    ['email', { mail: 'sent' }],
  ])('keep the default of %s away from a field sent under its other name', (name, record) => {
    const write = { selectedFieldSettings: { [name]: { default: { stringValue: 'default' } } } };
    expect(fieldsOf({ ...inherited, write }, 'create', record)).toEqual({ email: 'sent' });
  });

  describe('dropUnmappedFields (preview)', () => {
    const record = { mail: 'a', mobilephone: '1', other: 'x' };

    it('drops what no mapping knows, by mapped and by provider name', () => {
      expect(fieldsOf({ ...inherited, dropUnmappedFields: true }, 'create', record)).toEqual({
        email: 'a',
        mobilephone: '1',
      });
    });

    it('is off by default, and does nothing without inherited mappings', () => {
      expect(fieldsOf(inherited, 'create', record)).toEqual({ email: 'a', mobilephone: '1', other: 'x' });
      expect(fieldsOf({ read, dropUnmappedFields: true }, 'create', record)).toEqual(record);
    });
  });
});

// Specification, selectedValueMappings: the key is the value delivered, the value is the provider's.
describe('value mappings', () => {
  const read = {
    selectedFieldMappings: { stage: 'lifecyclestage' },
    selectedValueMappings: { lifecyclestage: { Hot: 'hot_lead', None: '', '': 'unset' }, rating: { '1': 'one' } },
  };

  it.each<[what: string, record: WriteRecord, fields: object]>([
    ['a delivered value becomes the provider value', { stage: 'Hot' }, { lifecyclestage: 'hot_lead' }],
    ['also under the provider name of the field', { lifecyclestage: 'Hot' }, { lifecyclestage: 'hot_lead' }],
    ['an empty provider value is a value', { stage: 'None' }, { lifecyclestage: '' }],
    ['an empty delivered value is a value', { stage: '' }, { lifecyclestage: 'unset' }],
    ['a value without mapping stays', { stage: 'Cold' }, { lifecyclestage: 'Cold' }],
    ['case matters', { stage: 'hot' }, { lifecyclestage: 'hot' }],
    ['null stays null', { stage: null }, { lifecyclestage: null }],
    ['other types stay', { rating: 1, stage: ['Hot'] }, { rating: 1, lifecyclestage: ['Hot'] }],
    [
      'names of Object.prototype are no values',
      { stage: 'constructor', toString: 'name' },
      { lifecyclestage: 'constructor', toString: 'name' },
    ],
  ])('%s', (_, record, fields) => {
    expect(fieldsOf({ inherits: true, read }, 'create', record)).toEqual(fields);
  });

  it('apply to defaults', () => {
    const write = { selectedFieldSettings: { stage: { default: { stringValue: 'Hot' } } } };
    expect(fieldsOf({ inherits: true, read, write }, 'create', {})).toEqual({ lifecyclestage: 'hot_lead' });
  });

  it('do not apply where mappings are not inherited', () => {
    expect(fieldsOf({ read }, 'create', { lifecyclestage: 'Hot' })).toEqual({ lifecyclestage: 'Hot' });
  });
});

describe('the decisions', () => {
  it('say of each field where it goes and why', () => {
    const settings: ContactSettings = {
      inherits: true,
      read: { selectedFieldMappings: { mail: 'email' } },
      write: {
        selectedFieldSettings: { score: { writeOnCreate: 'never' }, source: { default: { stringValue: 'web' } } },
        selectedValueDefaults: { stage: { value: 'lead' } },
      },
    };
    expect(plan(contactsInstallation(settings), 'create', { mail: 'a', score: 1 }).decisions).toEqual([
      { field: 'mail', providerField: 'email', value: 'a', reason: 'sent in the request', sent: true },
      { field: 'score', providerField: 'score', value: 1, reason: 'writeOnCreate is never', sent: false },
      {
        field: 'source',
        providerField: 'source',
        value: 'web',
        reason: 'default of selectedFieldSettings',
        sent: true,
      },
      { field: 'stage', providerField: 'stage', value: 'lead', reason: 'default of selectedValueDefaults', sent: true },
    ]);
  });

  it('say of ifEmpty that the provider decides, and of a mapped value that it is mapped', () => {
    const settings: ContactSettings = {
      inherits: true,
      read: { selectedValueMappings: { stage: { Hot: 'hot_lead' } } },
      ...withSetting({ writeOnUpdate: 'ifEmpty' }),
    };
    const [stage] = plan(contactsInstallation(settings), 'update', { id: '7', stage: 'Hot' }).decisions;
    expect(stage).toEqual({
      field: 'stage',
      providerField: 'stage',
      value: 'hot_lead',
      reason:
        'sent in the request; the value is mapped by selectedValueMappings; ' +
        'writeOnUpdate is ifEmpty: written only if the field is empty at the provider',
      sent: true,
    });
    const [created] = plan(contactsInstallation(settings), 'create', { stage: 'Cold' }).decisions;
    expect(created?.reason).toBe('sent in the request');
  });
});

it('plans the records of a batch as it plans each alone', () => {
  const settings: ContactSettings = { inherits: true, read: { selectedFieldMappings: { mail: 'email' } } };
  const kind = { type: 'update', objectName: 'contacts' } as const;
  const rules = writeRulesOf(contactsInstallation(settings), exactFields, kind);
  const records: WriteRecord[] = [{ id: '1', mail: 'a' }, { id: '2' }, { id: '3', email: 'b', x: null }];
  expect(records.map((record) => planRecord(rules, { record, path: 'record' }))).toEqual(
    records.map((record) => plan(contactsInstallation(settings), 'update', record)),
  );
});

it('notes what the plan alone does not show: every decision but a field that was sent under its own name', () => {
  const declared = { optionalFields: [{ mapToName: 'phone', prompt: 'Which?' }] };
  const mapped = { read: { selectedFieldMappings: { mail: 'email' } }, inherits: true, declared };
  const settings = { ...mapped, ...withSetting({ default: { stringValue: 'NEW' } }) };
  const { notes } = plan(contactsInstallation(settings), 'create', { mail: 'a@b.c', city: 'Oslo', phone: '1' }).plan;
  expect(notes).toEqual([
    { field: 'mail', providerField: 'email', reason: 'sent in the request', sent: true },
    { field: 'phone', reason: 'the user chose no field for this mapped name', sent: false },
    { field: 'stage', providerField: 'stage', reason: 'default of selectedFieldSettings', sent: true },
  ]);
});
