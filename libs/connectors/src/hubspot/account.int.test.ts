import type { ProviderStub, StubReply } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';

let stub: ProviderStub;
let hubspot: Required<Connector>;
useStubbedConnectors((opened) => ({ stub, hubspot } = opened));

const contacts = { auth: { accessToken: 'token-12345' }, objectName: 'contacts' };

describe('the description of an object', () => {
  const writable = { archivable: true, readOnlyDefinition: true, readOnlyValue: false };
  const properties = [
    { name: 'email', label: 'Email', type: 'string', hubspotDefined: true, modificationMetadata: writable },
    { name: 'age', label: 'Age', type: 'number', fieldType: 'number', hubspotDefined: false },
    { name: 'vip', label: 'VIP', type: 'bool', fieldType: 'booleancheckbox' },
    { name: 'born', label: 'Born', type: 'date', fieldType: 'date' },
    { name: 'createdate', label: 'Created', type: 'datetime', modificationMetadata: { readOnlyValue: true } },
    { name: 'score', label: 'Score', type: 'number', calculated: true },
    {
      name: 'tier',
      label: 'Tier',
      type: 'enumeration',
      fieldType: 'select',
      options: [
        { label: 'Gold', value: 'gold', displayOrder: 0, hidden: false },
        { label: '', value: 'x' },
        { value: '' },
      ],
    },
    { name: 'tags', label: 'Tags', type: 'enumeration', fieldType: 'checkbox', options: [] },
    { name: 'hubspot_owner_id', type: 'enumeration', externalOptions: true, referencedObjectType: 'OWNER' },
    { name: 'tel', label: 'Tel', type: 'phone_number' },
    { name: 'blob', label: 'Blob', type: 'json' },
    { name: '', label: 'no name' },
    'not a property',
  ];
  const listed: StubReply = { status: 200, body: { results: properties } };
  const schema: StubReply = {
    status: 200,
    body: { objectTypeId: '0-1', labels: { singular: 'Contact', plural: 'Contacts' }, requiredProperties: ['email'] },
  };
  test('types, allowed values, required and read-only fields', async () => {
    stub.replyWith(schema, listed);
    const metadata = await hubspot.describe(contacts);
    expect(stub.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /crm-object-schemas/2026-03/schemas/contacts',
      'GET /crm/v3/properties/contacts',
    ]);
    expect(metadata).toMatchObject({ name: 'contacts', displayName: 'Contacts' });
    const { email, age, createdate, score, tier, hubspot_owner_id: owner } = metadata.fields;
    expect(email).toEqual({
      fieldName: 'email',
      displayName: 'Email',
      valueType: 'string',
      providerType: 'string',
      readOnly: false,
      isCustom: false,
      isRequired: true,
    });
    expect(age).toMatchObject({ isCustom: true, isRequired: false });
    expect(
      Object.entries(metadata.fields)
        .map(([name, { valueType }]) => `${name} ${valueType}`)
        .join(),
    ).toBe(
      'email string,age float,vip boolean,born date,createdate datetime,score float,tier singleSelect,tags multiSelect,' +
        'hubspot_owner_id reference,tel string,blob other',
    );
    expect([createdate, score, tier].map((field) => field?.readOnly)).toEqual([true, true, false]);
    expect(tier).toMatchObject({
      valueType: 'singleSelect',
      values: [
        { value: 'gold', displayValue: 'Gold' },
        { value: 'x', displayValue: 'x' },
      ],
    });
    expect(owner).toMatchObject({ displayName: 'hubspot_owner_id', referenceTo: ['OWNER'] });
    expect(owner).not.toHaveProperty('values');
  });

  test.each([403, 404])('without a schema (%d) nothing is said of what is required', async (status) => {
    stub.replyWith({ status, body: { status: 'error', message: 'no' } }, listed);
    const { fields } = await hubspot.describe(contacts);
    expect(fields['email']).not.toHaveProperty('isRequired');
  });

  test("one caller's cancelling does not take the answer from another", async () => {
    stub.replyWith(schema, listed);
    const cancel = new AbortController();
    const asked = [hubspot.describe({ ...contacts, signal: cancel.signal }), hubspot.describe(contacts)];
    cancel.abort();
    const [, second] = await Promise.allSettled(asked);
    expect(second?.status).toBe('fulfilled');
  });

  test.each<[string, StubReply, StubReply, string]>([
    [
      'an unknown object',
      { status: 400, body: { message: 'Unable to infer object type from: butterflies' } },
      schema,
      'rejected',
    ],
    ['no list', { status: 200, body: {} }, schema, 'unavailable'],
    ['properties down', { status: 502 }, schema, 'unavailable'],
    ['schema down', listed, { status: 503 }, 'unavailable'],
    ['refused credentials', { status: 401 }, { status: 401 }, 'credentials'],
  ])('%s: throws, and is not kept', async (_, ofProperties, ofSchema, failureClass) => {
    stub.replyWith(ofSchema, ofProperties);
    await expect(hubspot.describe(contacts)).rejects.toMatchObject({ class: failureClass });
    // A schema that was answered is.
    stub.replyWith(...(ofSchema === schema ? [] : [schema]), listed);
    await expect(hubspot.describe(contacts)).resolves.toMatchObject({ name: 'contacts' });
  });
});
