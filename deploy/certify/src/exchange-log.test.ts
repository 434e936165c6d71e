import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TappedExchange } from '@sluice/connectors';
import { type Fixture, fixtures } from '@sluice/connectors/conformance';
import { namesOf, openExchangeLog, shapeOfExchange } from './exchange-log';

const names = namesOf(fixtures.get('hubspot') as Fixture, undefined);
const secret = 'Qzanary-4711';
const request = { method: 'POST', path: '/crm/v3/objects/contacts', headers: {} } as const;
const reply = { status: 200, headers: {} };

type Request = Partial<TappedExchange['request']>;
type Reply = Partial<Extract<TappedExchange['outcome'], { kind: 'reply' }>['reply']>;

const exchange = (sent: Request = {}, got: Reply = {}): TappedExchange => ({
  request: { ...request, ...sent },
  outcome: { kind: 'reply', durationMs: 1, reply: { ...reply, ...got } },
});
const textOf = (one: TappedExchange) => JSON.stringify(shapeOfExchange(one, names));
const shownHeaders = [
  'content-type',
  'accept',
  'retry-after',
  'sforce-limit-info',
  'x-ratelimit-remaining',
  'ratelimit',
];

describe('a secret is in no log, wherever it stood', () => {
  it.each<[string, TappedExchange]>([
    ['a host', exchange({ origin: `https://${secret}.my.salesforce.com/${secret}` })],
    ['a segment', exchange({ path: `/crm/v3/objects/contacts/${secret}` })],
    ['an escaped segment', exchange({ path: `/crm/%51zanary-4711/${encodeURIComponent(secret)}` })],
    ['a value of a query', exchange({ path: `/crm?q=${secret}&q=a=${secret}&filters` })],
    ['a name of a query', exchange({ path: `/crm?${secret}&${secret}=1` })],
    ['a fragment', exchange({ path: `/crm#${secret}?a=b?${secret}` })],
    ['a header', exchange({ headers: { authorization: `Bearer ${secret}`, 'x-owner': secret } })],
    ['a forwarded header', exchange({ forwarded: [{ key: 'Sforce-Auto-Assign', value: secret }] })],
    ...shownHeaders.map((name): [string, TappedExchange] => [
      `the header ${name}`,
      exchange({ headers: { [name]: secret } }, { headers: { [name]: `100, ${secret}` } }),
    ]),
    [
      'a value that we sent',
      exchange({ body: { name: secret, inputs: [{ fields: { email: `${secret}@acme.test` } }] } }),
    ],
    ['a member that we sent', exchange({ body: { [secret]: { [`${secret}@acme.test`]: true } } })],
    ['a form', exchange({ form: { refresh_token: secret, [secret]: '1' } })],
    ['a body that is a text', exchange({ body: secret }, { json: secret })],
    ['a value of a reply', exchange({}, { json: { id: secret, results: [[[{ name: { name: secret } }]]] } })],
    ['a member of a reply', exchange({}, { json: { results: { [secret]: { [secret]: null } } } })],
    ['behind the third item', exchange({}, { json: [1, 2, 3, secret, { [secret]: secret }] })],
    ['a number', exchange({}, { json: { id: Number('4711'), Qzanary: [Number('4711.5')] } })],
    ['a reply that is no JSON', exchange({}, { text: `<html>${secret}</html>` })],
    ['a half reply', exchange({}, { text: secret, fault: 'broken' })],
    ['why nothing was sent', { request, outcome: { kind: 'not-sent', reason: secret, durationMs: 1 } }],
    ['why no reply came', { request, outcome: { kind: 'no-reply', fault: 'timeout', reason: secret, durationMs: 1 } }],
  ])('%s', (_, one) => {
    expect(JSON.stringify(one)).toMatch(/4711/);
    expect(textOf(one)).not.toMatch(/zanary|4711/i);
  });
});

it('what stands: methods, statuses, our names, the type and the length of each value', () => {
  const sent = {
    path: '/crm/v3/objects/contacts/171590000621?properties=a,b',
    headers: { Authorization: 'x' },
    body: { email: 'a@b.c' },
  };
  const json = {
    id: '171590000621',
    archived: false,
    properties: { lastname: 'Ito', score: 12.5, none: null },
    results: [1, 2, 3, 4],
  };
  const headers = {
    'content-type': 'application/json;charset=utf-8',
    'retry-after': '10',
    ratelimit: 'limit=100, remaining=98',
    'x-owner': 'Ana',
  };
  expect(shapeOfExchange(exchange(sent, { json, headers }), names)).toEqual({
    request: {
      method: 'POST',
      path: '/crm/v3/objects/contacts/string(12)?properties=string(3)',
      headers: { Authorization: '…' },
      body: { email: 'string(5)' },
    },
    reply: {
      status: 200,
      headers: { ...headers, 'x-owner': '…' },
      json: {
        id: 'string(12)',
        archived: 'boolean',
        properties: { lastname: 'string(3)', '#1 name(5)': 'number(4)', '#2 name(4)': 'null' },
        results: ['number(1)', 'number(1)', 'number(1)', '1 more'],
      },
    },
  });
});

it('a file of lines for its owner alone, which has no message of a finding', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-log-'));
  const path = join(folder, 'certify', 'one.jsonl');
  const log = openExchangeLog(path, { provider: 'hubspot', run: 'run-1', source: 'account' }, names);
  log.step('create: written once, with its id');
  log.tap(exchange());
  const finding = { name: 'create: written once, with its id', verdict: 'differs', detail: secret } as const;
  expect(log.end([finding])).toBe(1);
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(lines).toEqual([
    { provider: 'hubspot', run: 'run-1', source: 'account' },
    expect.objectContaining({ step: finding.name }),
    { findings: [{ name: finding.name, verdict: 'differs' }] },
  ]);
  rmSync(folder, { recursive: true });
});
