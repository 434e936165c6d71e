import type { Recording, RecordedExchange } from './recording';
import { scrub } from './scrub';

const token = 'pat-eu1-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
const salesforceId = '003ak00000ABCdEAAX';

function recordingOf(...exchanges: Partial<RecordedExchange>[]): Recording {
  return {
    format: 1,
    provider: 'hubspot',
    source: 'account',
    startedAt: '2026-11-21T10:00:00.000Z',
    run: 'sluice-certify-20261121-abcdef',
    workspaceRef: '24681357',
    accessToken: token,
    findings: [],
    exchanges: exchanges.map((one) => ({ step: 'create', request: { method: 'GET', path: '/' }, ...one })),
  };
}

const replyOf = (json: unknown) => ({ status: 200, headers: {}, json });
const options = { publicIds: ['999999999999'], fields: ['email'] };
const scrubbed = (recording: Recording, more: object = {}): string =>
  JSON.stringify(scrub(recording, { ...options, ...more }));

it('leaves no token, wherever it stood', () => {
  const request = { method: 'POST', path: `/x/${token}`, body: { tokenKey: token } };
  const text = scrubbed(recordingOf({ request, reply: replyOf({ message: `bad token ${token}` }) }));
  expect(text).not.toContain(token);
  expect(text).toContain('{"tokenKey":"pat-na1-scrubbed"}');
});

it('gives one id one other, in every place, of the same form', () => {
  const recording = recordingOf(
    { reply: replyOf({ id: '171590000621', properties: { hs_object_id: '171590000621', hubspot_owner_id: 4711234 } }) },
    {
      request: { method: 'PATCH', path: '/crm/v3/objects/contacts/171590000621' },
      reply: replyOf({ id: salesforceId }),
    },
    { request: { method: 'GET', path: `/sobjects/Contact/${salesforceId}` } },
  );
  const { exchanges, workspaceRef } = scrub(recording, options);
  const idOf = (at: number): string => (exchanges[at]?.reply?.json as { id: string } | undefined)?.id ?? '';
  const id = idOf(0);
  expect(id).toMatch(/^9\d{11}$/);
  expect(exchanges[1]?.request.path).toBe(`/crm/v3/objects/contacts/${id}`);
  const other = idOf(1);
  expect(other).toMatch(/^003ak0\d{9}AAA$/);
  expect(exchanges[2]?.request.path).toBe(`/sobjects/Contact/${other}`);
  expect(workspaceRef).not.toBe('24681357');
  expect(JSON.stringify(exchanges)).not.toContain('4711234');
});

it('keeps ids when asked, and those that are nobody’s always', () => {
  const reply = replyOf({ id: '171590000621' });
  expect(scrubbed(recordingOf({ reply }), { keepIds: true })).toContain('171590000621');
  expect(scrubbed(recordingOf({ reply: replyOf({ id: '999999999999' }) }))).toContain('999999999999');
});

it('leaves no address of a person, and our own', () => {
  const text = scrubbed(recordingOf({ reply: replyOf({ a: 'Ana.Lopez@acme.co.uk, x', b: 'run-1@example.com' }) }));
  expect(text).not.toMatch(/acme/);
  expect(text).toContain('person-1@example.com, x');
  expect(text).toContain('run-1@example.com');
});

it.each([
  ['https://acme--uat.sandbox.my.salesforce.com/services', 'https://example.my.salesforce.com/services'],
  ['https://acme.zendesk.com/api', 'https://example.zendesk.com/api'],
])('leaves no host of a customer: %s', (url, expected) => {
  expect(scrubbed(recordingOf({ reply: replyOf({ url }) }))).toContain(expected);
});

it('leaves no name of who the token belongs to', () => {
  const reply = replyOf({ name: 'Ana López', nickname: 'ana', zoneinfo: 'Europe/Rome', user_type: 'STANDARD' });
  const text = scrubbed(recordingOf({ step: 'the account is named', reply }));
  expect(text).not.toMatch(/Ana|ana|Rome/);
  expect(text).toContain('STANDARD');
});

it('leaves out the account’s own fields, but for those that were written', () => {
  const standard = Array.from({ length: 25 }, (_, at) => ({
    name: `standard_${at}`,
    fieldType: 'text',
    hubspotDefined: true,
  }));
  const own = ['secret_score', 'email'].map((name) => ({ name, fieldType: 'text' }));
  const text = scrubbed(recordingOf({ reply: replyOf({ results: [...standard, ...own] }) }));
  expect(text).not.toContain('secret_score');
  expect(text).toMatch(/standard_24.*"email"/);
});
