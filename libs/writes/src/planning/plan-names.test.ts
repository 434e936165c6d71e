import { ValidationError } from '@sluice/errors';
import type { FieldCapabilities } from '@sluice/connectors';
import type { JsonValue, WriteRecord, WriteType } from '@sluice/types';
import { contactsInstallation, exactFields, planWrite, type ContactSettings } from '../../test/builders';

/** As Salesforce: names in any case, and two that it keeps. */
const anyCase: FieldCapabilities = {
  names: 'case-insensitive',
  reserved: { create: ['attributes'], update: ['attributes', 'id'] },
  listSeparator: ';',
};

function plan(settings: ContactSettings, type: WriteType, record: WriteRecord, provider = anyCase) {
  return planWrite(contactsInstallation(settings), provider, { type, objectName: 'contacts', record, path: 'record' });
}

function refusalOf(work: () => unknown): ValidationError {
  try {
    work();
  } catch (error) {
    if (error instanceof ValidationError) return error;
  }
  throw new Error('it was not refused');
}

// The reviewer's case: Phone was overwritten and LeadSource kept its default, because the request spelled them otherwise.
describe('names in any case', () => {
  const write = {
    selectedFieldSettings: {
      Phone: { writeOnUpdate: 'ifEmpty' },
      Title: { writeOnUpdate: 'never' },
      LeadSource: { default: { stringValue: 'Web' } },
    },
  } as const;
  const record = { id: '7', phone: '999', title: 'new', leadsource: 'Other' };

  it('settings and defaults hold for every spelling; the field goes as it was spelled', () => {
    const planned = plan({ write }, 'update', record).plan;
    expect(planned.fields).toEqual({ phone: '999', leadsource: 'Other' });
    expect(planned.ifEmpty).toEqual(['phone']);
  });

  it('are names of their own where the provider compares exactly', () => {
    const planned = plan({ write }, 'update', record, exactFields).plan;
    expect(planned.fields).toEqual({ phone: '999', title: 'new', leadsource: 'Other', LeadSource: 'Web' });
    expect(planned.ifEmpty).toBeUndefined();
    expect(plan({}, 'create', { Email: 'a', email: 'b' }, exactFields).plan.fields).toEqual({ Email: 'a', email: 'b' });
  });

  it.each<[string, ContactSettings, WriteRecord]>([
    ['two spellings', {}, { Email: 'a', email: 'b' }],
    [
      'a mapped name and a spelling of its field',
      { inherits: true, read: { selectedFieldMappings: { Email: 'email' } } },
      { Email: 'a', EMAIL: 'b' },
    ],
  ])('%s of one field are refused', (_, settings, sent) => {
    const error = refusalOf(() => plan(settings, 'create', sent));
    const [, second] = Object.keys(sent);
    expect(error.issues).toEqual([
      { in: 'body', name: `record.${second}`, detail: 'means the same field as Email; send one of the two' },
    ]);
  });

  it('a mapped name is the builder’s own: another spelling is the provider’s field', () => {
    const settings = { inherits: true, read: { selectedFieldMappings: { firstName: 'Nick__c' } } };
    expect(plan(settings, 'create', { firstName: 'a', FirstName: 'b' }).plan.fields).toEqual({
      Nick__c: 'a',
      FirstName: 'b',
    });
  });

  it('a mapped name without a field means none: the provider’s field of that name is another', () => {
    const settings = {
      inherits: true,
      declared: { optionalFields: [{ mapToName: 'nick' }] },
      write: { selectedFieldSettings: { nick: { default: { stringValue: 'x' } } } },
    };
    const { plan: planned, decisions } = plan(settings, 'create', { nick: 'a', Nick: 'b' });
    expect(planned.fields).toEqual({ Nick: 'b' });
    expect(decisions.map(({ field, sent }) => [field, sent])).toEqual([
      ['nick', false],
      ['Nick', true],
    ]);
  });

  it('two mapped names without a field are two, not one', () => {
    const declared = { optionalFields: [{ mapToName: 'nick' }, { mapToName: 'alias' }] };
    const { plan: planned } = plan({ inherits: true, declared }, 'create', { nick: 'a', alias: 'b', LastName: 'c' });
    expect(planned.fields).toEqual({ LastName: 'c' });
  });

  it('a default gives way to its field under another spelling, mapped or not', () => {
    const read = { selectedFieldMappings: { source: 'LeadSource' } };
    const fields = { selectedFieldSettings: { source: { default: { stringValue: 'Web' } } } };
    expect(plan({ inherits: true, read, write: fields }, 'create', { LEADSOURCE: 'x' }).plan.fields).toEqual({
      LEADSOURCE: 'x',
    });
  });

  it('value mappings and dropUnmappedFields know a field in any spelling', () => {
    const read = { selectedFieldMappings: { job: 'Title' }, selectedValueMappings: { TITLE: { Boss: 'CEO' } } };
    const settings = { inherits: true, read, dropUnmappedFields: true };
    expect(plan(settings, 'create', { title: 'Boss', other: 1 }).plan.fields).toEqual({ title: 'CEO' });
    expect(plan(settings, 'create', { job: 'Boss' }).plan.fields).toEqual({ Title: 'CEO' });
  });
});

describe('names that the provider keeps for itself', () => {
  it('are left out with a reason that names the provider and the type', () => {
    const { plan: planned, decisions } = plan({}, 'update', { id: '7', Id: '8', Attributes: { type: 'x' }, a: 1 });
    expect(planned).toMatchObject({ recordId: '7', fields: { a: 1 } });
    const reason = 'hubspot keeps this name for itself: no record can set it on update';
    expect(decisions.map((each) => [each.field, each.sent, each.reason])).toEqual([
      ['Id', false, reason],
      ['Attributes', false, reason],
      ['a', true, 'sent in the request'],
    ]);
  });

  it('are listed per type, also where a mapping leads to them', () => {
    expect(plan({}, 'create', { Id: '8', attributes: 1 }).plan.fields).toEqual({ Id: '8' });
    const settings = { inherits: true, read: { selectedFieldMappings: { key: 'Id' } } };
    expect(plan(settings, 'update', { id: '7', key: '8' }).plan.fields).toEqual({});
    expect(plan({}, 'delete', { id: '7' }).decisions).toEqual([]);
  });

  it('leave nothing of a create that has no other, and an update without a field', () => {
    expect(refusalOf(() => plan({}, 'create', { attributes: 1 })).code).toBe('write.nothing-to-write');
    expect(plan({}, 'update', { id: '7', ID: '7' }).plan.fields).toEqual({});
  });
});

it('each reason to leave a field out is returned', () => {
  const settings: ContactSettings = {
    inherits: true,
    dropUnmappedFields: true,
    write: { selectedFieldSettings: { stage: { writeOnUpdate: 'never' } } },
  };
  const { decisions } = plan(settings, 'update', { id: '7', stage: 'a', other: 'b' });
  expect(decisions.map(({ reason }) => reason)).toEqual(['writeOnUpdate is never', 'dropUnmappedFields is on']);
});

describe('lists', () => {
  const bad: JsonValue = ['ok', { a: 1 }, null, ['b'], 'c;d', ''];

  it('name every item that cannot be joined', () => {
    const error = refusalOf(() => plan({}, 'create', { 'my tags': bad, fine: ['a', 1, true] }, exactFields));
    expect(error).toMatchObject({ code: 'request.invalid', detail: expect.stringContaining('list holds an item') });
    expect(error.issues.map(({ in: part }) => part)).toEqual(['body', 'body', 'body', 'body', 'body']);
    expect(error.issues.map(({ name }) => name)).toEqual([1, 2, 3, 4, 5].map((at) => `record["my tags"][${at}]`));
    expect(error.issues[0]?.detail).toContain('must be a number, a boolean or a text');
  });

  it('are reported for 20 fields at most', () => {
    const error = refusalOf(() => plan({}, 'create', { tags: Array.from({ length: 50 }, () => null) }));
    expect(error.issues).toHaveLength(20);
  });

  it('that are not sent harm nobody; an object that is no list goes to the provider', () => {
    const settings = { write: { selectedFieldSettings: { tags: { writeOnUpdate: 'never' } } } } as const;
    expect(plan(settings, 'update', { id: '7', tags: bad, more: { a: [null] } }).plan.fields).toEqual({
      more: { a: [null] },
    });
  });
});

// An issue for each of 1.6 million items was made before the list was cut to 20.
it('stops at the 20th item of a list that cannot be joined', () => {
  let checked = 0;
  const items = new Proxy(
    Array.from({ length: 1_000 }, () => []),
    {
      get: (list, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) checked += 1;
        return Reflect.get(list, name) as unknown;
      },
    },
  );
  const { issues } = refusalOf(() => plan({}, 'create', { list: items }));
  expect(issues).toHaveLength(20);
  expect(issues[19]?.name).toBe('record.list[19]');
  expect(checked).toBe(20);
});
