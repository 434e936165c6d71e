import { createHash } from 'node:crypto';
import { startClient, type Client } from './sandbox-client';

let client: Client;
beforeAll(async () => {
  client = await startClient();
});
afterAll(() => client.close());
beforeEach(() => client.reset());

const page = (query = '') => client.send('GET', `/${query}`);

it('shows accounts with their counts, records with their links, and the calls that arrived', async () => {
  await client.send('POST', '/_sandbox/accounts', { name: 'globex', provider: 'salesforce' });
  const { id } = (await client.call('POST', '/crm/v3/objects/companies', { properties: { name: 'Łódź Foods' } })).body;
  const associations = [{ to: { id }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 279 }] }];
  await client.fault({ account: 'acme', action: { kind: 'commit-then-status', status: 502 } });
  await client.call('POST', '/crm/v3/objects/contacts', { properties: { email: 'ana@example.com' }, associations });
  const { status, headers, body } = await page();
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const text = body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(text).toContain('acme hubspot contacts 1 · companies 1 · deals 0');
  expect(text).toContain('globex salesforce');
  expect(text).toMatch(new RegExp(`ana@example\\.com .* companies ${id}`));
  expect(text).toContain('Łódź Foods');
  expect(text).toContain('Opportunity in globex · none');
  expect(text).toMatch(/acme create POST \/crm\/v3\/objects\/contacts 502 1 1 \d+ commit-then-status/);
  expect(body).toContain('http-equiv="refresh"');
  expect((await page('?refresh=off')).body).not.toContain('http-equiv="refresh"');
  await client.send('DELETE', '/_sandbox/state?accounts=true');
  expect((await page()).body).toContain('No account yet');
  await client.send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'hubspot' });
});

it('shows the latest 50 of many, and the account that is asked for', async () => {
  const inputs = Array.from({ length: 60 }, (_, index) => ({ properties: { firstname: `Name${index}` } }));
  await client.call('POST', '/crm/v3/objects/contacts/batch/create', { inputs });
  await client.send('POST', '/_sandbox/accounts', { name: 'globex', provider: 'salesforce' });
  const { body } = await page('?account=acme');
  expect(body).toContain('the latest 50 of 60');
  expect(body).toContain('>Name59<');
  expect(body).not.toContain('>Name9<');
  expect((await page('?account=globex')).body).not.toContain('Name59');
});

/** What a customer writes is never markup here, and nothing could run if it were. */
it('is inert whatever the records and the addresses are called', async () => {
  const evil = `<script>alert(1)</script><img src=x onerror=alert(1)>"' onmouseover='alert(1)`;
  await client.call('POST', '/crm/v3/objects/contacts', { properties: { firstname: evil, lastname: evil } });
  await client.call('GET', `/crm/v3/objects/${encodeURIComponent(evil)}/1`);
  const { body, headers } = await page(`?account=${encodeURIComponent(evil)}`);
  expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(body).not.toMatch(/<script|<img|onmouseover='/i);
  expect(body).not.toMatch(/(?:src|href)="(?!\/)/);
  const [, style = ''] = /<style>([^]*)<\/style>/.exec(body) ?? [];
  expect(headers.get('content-security-policy')).toContain(createHash('sha256').update(style).digest('base64'));
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/,
  );
});
