import { contacts, startClient, type Client } from './sandbox-client';

interface Property {
  readonly name: string;
  readonly options: readonly { readonly value: string }[];
  readonly modificationMetadata: { readonly readOnlyValue: boolean };
}

let client: Client;
beforeAll(async () => {
  client = await startClient();
});
afterAll(() => client.close());
beforeEach(() => client.reset());

describe('create', () => {
  it('answers 201 with Location and the wide record, sorted by name, every value a string', async () => {
    const { status, headers, body } = await client.call('POST', contacts, {
      properties: {
        email: 'Ana.Łuna@Example.com',
        firstname: 'Ána',
        loyalty_points: 12,
        newsletter: true,
        phone: '+47 22 33',
      },
      associations: null,
    });
    expect(status).toBe(201);
    expect(headers.get('content-type')).toBe('application/json;charset=utf-8');
    expect(headers.get('location')).toBe(`${client.url}${contacts}/${body.id}`);
    expect(body.id).toMatch(/^1715\d{8}$/);
    expect(Object.keys(body.properties)).toEqual(Object.keys(body.properties).toSorted());
    expect(Object.values(body.properties).every((value) => typeof value === 'string')).toBe(true);
    expect(body).toMatchObject({
      properties: {
        email: 'ana.łuna@example.com',
        loyalty_points: '12',
        newsletter: 'true',
        hs_object_id: body.id,
        hs_email_domain: 'example.com',
        hs_full_name_or_email: 'Ána',
        hs_searchable_calculated_phone_number: '472233',
        lifecyclestage: 'lead',
        createdate: body.createdAt,
        lastmodifieddate: body.createdAt,
      },
      updatedAt: body.createdAt,
      archived: false,
      url: `https://app.hubspot.com/contacts/${client.portalId}/record/0-1/${body.id}`,
    });
  });

  it('refuses an email that exists, whatever its case, and names the contact', async () => {
    const id = await client.create({ email: 'ana@example.com' });
    const { status, headers, body } = await client.call('POST', contacts, { properties: { email: 'ANA@Example.com' } });
    expect(status).toBe(409);
    expect(body).toEqual({
      status: 'error',
      message: `Contact already exists. Existing ID: ${id}`,
      correlationId: headers.get('x-hubspot-correlation-id'),
      category: 'CONFLICT',
    });
    expect(await client.records()).toHaveLength(1);
  });

  it('lets any number of contacts be without email', async () => {
    await client.create({ firstname: 'Ana' });
    await client.create({ firstname: 'Ana' });
    expect(await client.records()).toHaveLength(2);
  });

  it.each<[string, string, number, string]>([
    ['no properties', '{}', 400, 'Some required fields were not set: [properties]'],
    [
      'associations of a wrong shape',
      '{"properties":{},"associations":[{"to":{}}]}',
      400,
      'PublicAssociationsForObject',
    ],
  ])('refuses %s', async (_name, text, expected, message) => {
    const { status, body } = await client.call('POST', contacts, text);
    expect(status).toBe(expected);
    expect(body.message).toContain(message);
  });

  it('refuses a body that is not JSON', async () => {
    const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'text/plain' };
    expect((await client.send('POST', contacts, '{"properties":{}}', headers)).status).toBe(415);
  });
});

describe('update', () => {
  it('changes what was sent, clears what was sent empty, and answers with that and a few more', async () => {
    const id = await client.create({ email: 'ana@example.com', city: 'Oslo', phone: '1' });
    const { status, body } = await client.call('PATCH', `${contacts}/${id}`, {
      properties: { city: 'Łódź', phone: '' },
    });
    expect(status).toBe(200);
    expect(body.properties).toMatchObject({ city: 'Łódź', phone: '', hs_object_id: id, lifecyclestage: 'lead' });
    expect(body.properties).not.toHaveProperty('email');
    const read = await client.call('GET', `${contacts}/${id}?properties=city,phone,email`);
    expect(read.body.properties).toMatchObject({ city: 'Łódź', phone: null, email: 'ana@example.com' });
  });

  it('may send its own email again, but not that of another', async () => {
    const id = await client.create({ email: 'ana@example.com' });
    const other = await client.create({ email: 'bob@example.com' });
    const rename = (email: string) => client.call('PATCH', `${contacts}/${id}`, { properties: { email } });
    expect((await rename('ANA@example.com')).status).toBe(200);
    const refused = await rename('bob@example.com');
    expect([refused.status, refused.body.message]).toEqual([409, `Contact already exists. Existing ID: ${other}`]);
  });

  it.each<[string, string, number, object]>([
    ['a number that is no contact', '/123', 404, { message: 'resource not found' }],
    [
      'a word',
      '/ana',
      404,
      {
        category: 'OBJECT_NOT_FOUND',
        message: 'Object not found.  objectId are usually numeric.',
        context: { id: ['ana'] },
      },
    ],
    ['an unknown email', '/a%40b.example?idProperty=email', 404, { message: 'resource not found' }],
    [
      'a property that is not unique',
      '/x?idProperty=city',
      400,
      { category: 'VALIDATION_ERROR', message: 'Unable to perform update/upsert by non-unique 0-1 property city' },
    ],
  ])('refuses %s', async (_name, suffix, expected, fields) => {
    const { status, body } = await client.call('PATCH', contacts + suffix, { properties: { city: 'x' } });
    expect(status).toBe(expected);
    expect(body).toEqual({ status: 'error', correlationId: expect.any(String), ...fields });
  });
});

describe('read', () => {
  it('shows what was asked for, leaves unknown names out, takes repeated parameters', async () => {
    const id = await client.create({ city: 'Oslo', phone: '' });
    const { body } = await client.call('GET', `${contacts}/${id}?properties=city,shoe&properties=phone`);
    expect(body.properties.phone).toBeNull();
    expect(Object.keys(body.properties)).toEqual(['city', 'createdate', 'hs_object_id', 'lastmodifieddate', 'phone']);
  });
});

describe('around the contacts', () => {
  it.each(['/crm/v3/objects/butterflies', '/crm/v3/objects/0-5', '/crm/v3/properties/butterflies'])(
    'does not know the object of %s',
    async (path) => {
      const { status, body } = await client.call(
        path.includes('properties') ? 'GET' : 'POST',
        path,
        path.includes('properties') ? undefined : { properties: {} },
      );
      expect(status).toBe(400);
      expect(body).toEqual({
        status: 'error',
        message: `Unable to infer object type from: ${path.split('/').at(-1)}`,
        correlationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
    },
  );

  it.each(['/crm/v4/nothing', '/crm/objects/latest/contacts/1', '/crm/properties/2026-03/contacts', '/oauth/v9/token'])(
    'answers %s with an HTML page, and notes the call',
    async (path) => {
      const { status, headers, body } = await client.call('GET', path);
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html']);
      expect(body).toContain('<html>');
      expect((await client.ledger())[0]).toMatchObject({ path, status: 404 });
    },
  );

  it('lists the properties with their metadata', async () => {
    const { body } = await client.call('GET', '/crm/v3/properties/contacts');
    const byName = new Map<string, Property>(body.results.map((one: Property) => [one.name, one]));
    expect([...byName.keys()]).toEqual([...byName.keys()].toSorted());
    expect(byName.get('email')).toMatchObject({
      type: 'string',
      fieldType: 'text',
      hasUniqueValue: true,
      hubspotDefined: true,
    });
    expect(byName.get('loyalty_tier')?.options.map((option) => option.value)).toEqual(['bronze', 'silver', 'gold']);
    expect(byName.get('hubspot_owner_id')).toMatchObject({ type: 'enumeration', externalOptions: true, options: [] });
    expect(byName.get('hs_object_id')?.modificationMetadata.readOnlyValue).toBe(true);
  });
});
