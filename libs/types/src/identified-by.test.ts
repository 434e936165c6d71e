import { identifiedBy, nameOfRecord } from './identified-by';

const names = ['Email', 'Name'];

it.each([
  [{ fields: { city: 'Jena', email: ' ann@example.com ' } }, { field: 'email', value: 'ann@example.com' }],
  [{ fields: { Name: 'Acme', Email: null } }, { field: 'Name', value: 'Acme' }],
  [{ fields: { Email: ['a'], Name: 7 } }, { field: 'Name', value: '7' }],
  [
    { fields: { Email: 'ann@example.com' }, recordId: '171' },
    { field: 'id', value: '171' },
  ],
  [{ fields: { city: 'Jena' } }, undefined],
])('a record with %j is known by %j', (plan, expected) => {
  expect(identifiedBy(plan, names)).toEqual(expected);
});

it('the field has the name that the request used', () => {
  const notes = [{ field: 'mail', providerField: 'Email', reason: 'sent in the request', sent: true }];
  expect(identifiedBy({ fields: { Email: 'ann@example.com' }, notes }, names)?.field).toBe('mail');
});

it('the field of a problem is the last choice', () => {
  const problems = [{ message: 'is taken' }, { field: 'sku', providerField: 'sku', message: 'is taken' }];
  expect(identifiedBy({ fields: { sku: 'A-1' } }, names, problems)).toEqual({ field: 'sku', value: 'A-1' });
  expect(identifiedBy({ fields: { sku: 'A-1', Name: 'Bolt' } }, names, problems)?.value).toBe('Bolt');
});

it('a value has at most 200 characters, none of them cut in two', () => {
  const valueOf = (email: string) => identifiedBy({ fields: { email } }, names)?.value ?? '';
  expect(valueOf('x'.repeat(200))).toHaveLength(200);
  expect(valueOf('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
  expect(valueOf(`${'x'.repeat(198)}😀😀`)).toBe(`${'x'.repeat(198)}…`);
});

it('a record is named by its ref, its id, or what identifies it', () => {
  const by = { field: 'email', value: 'ann@example.com' };
  expect(nameOfRecord({ ref: 'row-1', recordId: '171', identifiedBy: by })).toBe('ref row-1');
  expect(nameOfRecord({ recordId: '171' })).toBe('171');
  expect(nameOfRecord({ identifiedBy: by })).toBe('email ann@example.com');
  expect(nameOfRecord({})).toBeUndefined();
});
