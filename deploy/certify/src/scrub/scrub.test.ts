import { array, assert, boolean, constant, constantFrom, letrec, oneof, property, string, tuple } from 'fast-check';
import type { RecordedExchange } from '../recording';
import { subjectOf, type Subject } from '../subjects';
import { scrub, type RawRecording } from './scrub';

const token = 'pat-eu1-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
const salesforceId = '003ak00000ABCdEAAX';
const run = 'sluice-certify-20261121-abcdef';
const subject = subjectOf('hubspot') as Subject;

function recordingOf(...exchanges: Partial<RecordedExchange>[]): RawRecording {
  return {
    format: 1,
    provider: 'hubspot',
    source: 'account',
    startedAt: '2026-11-21T10:00:00.000Z',
    run,
    workspaceRef: '24681357',
    accessToken: token,
    exchanges: exchanges.map((one) => ({ step: 'create', request: { method: 'GET', path: '/' }, ...one })),
  };
}

const replyOf = (json: unknown) => ({ status: 200, headers: {}, json });
const textOf = (recording: RawRecording, more: object = {}) => JSON.stringify(scrub(recording, { subject, ...more }));
/** What becomes of one reply. */
const scrubbed = (json: unknown) => scrub(recordingOf({ reply: replyOf(json) }), { subject }).exchanges[0]?.reply?.json;

it('leaves no token, wherever it stood', () => {
  const request = { method: 'POST', path: `/x/${token}?key=${token}`, body: { tokenKey: token } };
  const text = textOf(recordingOf({ request, reply: replyOf({ message: `bad token ${token}`, any: token }) }));
  expect(text).not.toMatch(/0a1b2c3d|a4b5c6d7e8f9/);
  expect(text).toContain('"pat-na1-scrubbed"}');
});

it('replaces one id by one other of the same form, everywhere', () => {
  const recording = recordingOf(
    {
      reply: replyOf({
        id: '171590000621',
        properties: { hs_object_id: '171590000621', hubspot_owner_id: 4711234 },
        message: 'Contact already exists. Existing ID: 171590000621',
      }),
    },
    {
      request: { method: 'PATCH', path: '/crm/v3/objects/contacts/171590000621' },
      reply: replyOf({ id: salesforceId }),
    },
    { request: { method: 'GET', path: `/sobjects/Contact/${salesforceId}?q=Id%20%3D%20'${salesforceId}'` } },
  );
  const { exchanges, workspaceRef } = scrub(recording, { subject });
  const idOf = (at: number): string => (exchanges[at]?.reply?.json as { id: string } | undefined)?.id ?? '';
  const id = idOf(0);
  expect(id).toMatch(/^9\d{11}$/);
  expect(exchanges[0]?.reply?.json).toMatchObject({
    properties: { hs_object_id: id },
    message: `Contact already exists. Existing ID: ${id}`,
  });
  expect(exchanges[1]?.request.path).toBe(`/crm/v3/objects/contacts/${id}`);
  const other = idOf(1);
  expect(other).toMatch(/^003ak0\d{9}AAA$/);
  expect(exchanges[2]?.request.path).toContain(`/sobjects/Contact/${other}?q=`);
  expect(decodeURIComponent(exchanges[2]?.request.path ?? '')).toContain(`Id = '${other}'`);
  expect(workspaceRef).not.toBe('24681357');
  expect(JSON.stringify(exchanges)).not.toContain('4711234');
});

it('keeps ids when asked, where the connector reads them, and that of no record always', () => {
  const reply = replyOf({ id: '171590000621', mobile: '491511234567' });
  expect(textOf(recordingOf({ reply }), { keepIds: true })).toContain('171590000621');
  expect(textOf(recordingOf({ reply }), { keepIds: true })).not.toContain('491511234567');
  expect(textOf(recordingOf({ reply: replyOf({ any: '999999999999' }) }))).toContain('999999999999');
});

it('keeps what the run sent, wherever it comes back', () => {
  const sent = { lastname: `${run}-1`, email: `${run}-1@example.com`, any: 'Certification', other: 'no address' };
  expect(scrubbed(sent)).toMatchObject({ lastname: `${run}-1`, email: `${run}-1@example.com` });
  expect(JSON.stringify(scrubbed(sent))).toContain('"no address"');
});

it.each([
  ['a nested owner', { owner: { name: 'Ana López', id: 'usr_8Hh2kQ01', email: 'ana@acme.test' } }],
  ['who made it', { Created_By: { name: 'Ana', id: '4150868000000225013', email: 'ana@example.com' } }],
  ['an organisation', { organizations: [{ id: 'orga_Ana77Acme1', name: 'Acme', currency: 'López' }] }],
  ['an address in a text', { message: 'Owner ana.lopez@acme.co.uk (Ana) is inactive' }],
  ['an id inside a URL', { links: { self: 'https://acme.example.net/users/4150868/ana?x=Acme' } }],
  ['a host', { url: 'https://acme--uat.sandbox.my.salesforce.com/x', domain: 'acme.zendesk.com' }],
  ['phones', { phone: '+49 151 4150868', phones: [{ value: '(0151) 415 0868' }] }],
  ['a map by person', { members: { 'ana@acme.test': true, 'Ana López': 1, acme: { x: 2 } } }],
  ['a birthday and a join date', { birthdate: '1987-04-15', joined: '2019-04-15T08:15:00Z', at: 555_555_555_000 }],
  ['a field of the account', { properties: [{ name: 'acme_score', label: 'Acme score' }], acme_score: '12' }],
  ['numbers', { revenue: 4_150_868.5, owner: 4_150_868, balance: -41_508_680 }],
  ['a message of one word', { message: 'Acme' }],
  ['a status that is no word of theirs', { status: 'AcmeSpecial', code: 'LÓPEZ', type: 'Acme deal' }],
  ['other scripts', { message: '安娜 is gone', name: 'Анна', note: 'مريم' }],
])('leaves nothing of a person or an account: %s', (_, json) => {
  const text = JSON.stringify(scrubbed(json));
  expect(text).not.toMatch(/ana|l[oó]pez|acme|415\D?0868|1987|2019|555555|安娜|Анна|مريم/i);
});

describe('what is somebody’s by its form, though each part is a word of the provider or short', () => {
  const revealing = [
    '+33 6 12 34 56 78',
    '+41 44 123 45 67',
    '06-12-34-56-78',
    '203.0.113.7',
    '10.0.0.7',
    '03/02/85',
    '03.02.1985',
    '03, 02, 85',
    '03\u00a002\u00a085',
    '123-456-789',
    'sales@company.com',
    'sales@company',
  ];
  it.each(revealing)('%s, in a value, a sentence, a page and a path', (text) => {
    const words = text.replaceAll('\u00a0', ' ');
    for (const member of ['message', 'detail', 'title', 'description', 'id', 'code', 'name']) {
      expect(JSON.stringify(scrubbed({ [member]: text }))).not.toContain(words);
    }
    expect(JSON.stringify(scrubbed({ message: `The contact ${text} is invalid` }))).toMatch(
      /^{"message":"The contact \S+ is invalid"}$/,
    );
    const html = `<title>${text}</title><body>${text.replaceAll(/[ \u00a0]/g, '&nbsp;')}</body>`;
    const request = { method: 'GET', path: `/${encodeURIComponent(text)}?q=${encodeURIComponent(`contact ${text}`)}` };
    const recording = scrub(recordingOf({ request, reply: { status: 500, headers: {}, text: html } }), { subject });
    const [exchange] = recording.exchanges;
    const page = exchange?.reply?.text ?? '';
    expect(page).toMatch(/^<title>[^\s<&;]+<\/title><body>[^\s<&;]+<\/body>$/);
    const seen = `${page} ${decodeURIComponent(exchange?.request.path.replaceAll('+', ' ') ?? '')}`;
    expect(seen.replaceAll('&nbsp;', ' ')).not.toContain(words);
    expect(seen).not.toMatch(/company|\b(?:12|34|85|113|123)\b/);
  });

  it('and what is not stays: an object type, a number, a version with a letter, a moment of the run', () => {
    const kept = { objectTypeId: '0-1', message: 'limit of 100 reached after 10 requests, see v3.1' };
    expect(scrubbed(kept)).toEqual(kept);
    const message = 'at 10 2026-11-21T10:00:01Z';
    expect(scrubbed({ message })).toEqual({ message });
  });
});

it('keeps what was said of an error, and its words only', () => {
  const message =
    'Property values were not valid: [{"isValid":false,"message":"Email address ana@acme.test is invalid"}]';
  expect(scrubbed({ category: 'VALIDATION_ERROR', message })).toEqual({
    category: 'VALIDATION_ERROR',
    message:
      'Property values were not valid: [{"isValid":false,"message":"Email address person-1@example.com is invalid"}]',
  });
});

it('keeps the moments of the run', () => {
  const createdAt = '2026-11-21T10:00:01.123Z';
  expect(scrubbed({ createdAt, updatedAt: '2024-01-01T10:00:00.000Z' })).toEqual({
    createdAt,
    updatedAt: '2000-01-01T00:00:00.000Z',
  });
});

it('leaves headers that are neither limits nor the type of the body', () => {
  const headers = { 'content-type': 'text/html; charset=ana', 'retry-after': 'ask Ana', 'x-ratelimit-limit': '100' };
  const recording = recordingOf({ reply: { status: 429, headers, text: '<p>Ana, call +49 151 4150868</p>' } });
  const [exchange] = scrub(recording, { subject }).exchanges;
  expect(exchange?.reply?.headers).toEqual({ 'x-ratelimit-limit': '100' });
  expect(exchange?.reply?.text).not.toMatch(/Ana|151/);
});

it('keeps of a long description what was written and what is required', () => {
  const many = Array.from({ length: 25 }, (_, at) => ({ name: `standard_${at}`, fieldType: 'text' }));
  const fields = [...many, { name: 'email', fieldType: 'text' }, { name: 'lead', system_mandatory: true }];
  expect(scrubbed({ results: fields })).toMatchObject({ results: [{ name: 'email' }, { name: 'lead' }] });
});

describe('whatever a provider adds', () => {
  const secret = 'Qzanary';
  const decorated = constantFrom(
    secret,
    `${secret} Smith`,
    `${secret}@acme.test`,
    `https://${secret}.acme.test/${secret}`,
    `id_${secret}00112233`,
    `${secret}-${secret}`,
    `${secret}0011223344556`,
    `"${secret}"`,
    `${secret}, the_owner`,
    `The owner is ${secret}.`,
    `+49 ${secret}`,
    `%51zanary/${secret}`,
    `${secret}\u2028é`,
    `2024-01-01T00:00:00Z ${secret}`,
    `key=${secret};`,
    `${run}-1 ${secret}`,
    `${run}${secret}`,
    `${secret}@example.com`,
    `_${secret}_`,
    `${secret}.my.salesforce.com`,
  );
  const member = oneof(
    decorated,
    constantFrom(
      'message',
      'name',
      'id',
      'status',
      'type',
      'code',
      'detail',
      'scopes',
      'errors',
      'context',
      '__proto__',
    ),
    string(),
  );
  const { value } = letrec((tie) => ({
    value: oneof({ depthSize: 'small' }, decorated, tie('list'), tie('members'), boolean(), constant(null)),
    list: array(tie('value'), { maxLength: 3 }),
    members: array(tuple(member, tie('value')), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
  }));

  it('a secret survives in no member, by no name, in no form', () => {
    const survives = property(value, decorated, (json, text) => {
      const path = `/crm/v3/objects/contacts/${encodeURIComponent(text)}?q=${encodeURIComponent(text)}`;
      const headers = { 'retry-after': text, 'content-type': text, 'x-ratelimit-limit': text };
      const request = { method: 'POST', path, body: { inputs: [json] }, headers: { [text]: text } };
      const recording = recordingOf(
        { request, reply: { status: 200, headers, json } },
        { reply: { status: 500, headers, text } },
      );
      expect(textOf(recording)).not.toMatch(/zanary/i);
    });
    assert(survives, { numRuns: 2_000 });
  });
});
