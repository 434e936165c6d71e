import { tokenIssuer } from '@sluice/testkit';
import { ask, call, type Request } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { hubspot, person } from './crms';

const stack = sharedStack();
let customer: Customer;
let token: string;
beforeAll(async () => {
  customer = await createCustomer(stack, { provider: 'hubspot', read: ['contacts'], write: ['contacts'] });
  token = await createToken(customer);
});

async function createToken({ project: { url, key }, groupRef }: Customer): Promise<string> {
  const issuer = tokenIssuer();
  const body = { label: 'browser', algorithm: 'RS256', publicKeyPem: issuer.publicKeyPem };
  const { kid } = await call<{ kid: string }>(`${url}/jwt-keys`, { key, body });
  return issuer.issue(kid, { groupRef });
}

let marks = 0;

/** One endpoint of each of the three base URLs, and one more of management. */
const endpoints: [name: string, build: () => { url: string; request: Request }][] = [
  ['list installations', () => get(`integrations/${customer.integrationId}/installations`)],
  ['list connections', () => get('connections')],
  [
    'search',
    () => ({
      url: `${of(stack.searchUrl)}?groupRef=${customer.groupRef}`,
      request: { body: { objectName: 'contacts', fieldFilters: [] } },
    }),
  ],
  [
    'write',
    () => ({
      url: `${of(stack.writeUrl)}/objects/contacts`,
      request: {
        body: { groupRef: customer.groupRef, type: 'create', record: person(hubspot, `Key-${(marks += 1)}`) },
      },
    }),
  ],
];

function of(base: string): string {
  return `${base}/projects/${customer.project.id}/integrations/${customer.integrationId}`;
}

function get(path: string) {
  return { url: `${customer.project.url}/${path}`, request: { method: 'GET' } };
}

describe.each(endpoints)('%s', (_name, build) => {
  const send = (headers: Record<string, string>) => {
    const { url, request } = build();
    return ask(url, { ...request, headers });
  };

  it('accepts the API key in its header, and as a bearer token [authentication.rule-1] [authentication.rule-3]', async () => {
    const { key } = customer.project;
    expect(await send({ 'x-api-key': key })).toMatchObject({ status: 200 });
    expect(await send({ authorization: `Bearer ${key}` })).toMatchObject({ status: 200 });
  });

  // Specification, Authentication, rule 5 is silent on the format; see rulings.
  it('accepts a token that the builder signed for the group [authentication.rule-1] [authentication.rule-3]', async () => {
    expect(await send({ authorization: `Bearer ${token}` })).toMatchObject({ status: 200 });
    const cut = token.slice(0, token.lastIndexOf('.'));
    expect(await send({ authorization: `Bearer ${cut}.AAAA` })).toMatchObject({ status: 401 });
  });

  it.each(['x-api-key', 'X-Api-Key', 'X-API-KEY'])(
    'whatever the case of its letters: %s [authentication.rule-2]',
    async (name) => {
      expect(await send({ [name]: customer.project.key })).toMatchObject({ status: 200 });
    },
  );

  it('answers 401 without, and with a wrong one [authentication.rule-1] [authentication.rule-3]', async () => {
    const before = (await customer.account.calls()).length;
    const wrong = `${customer.project.key.slice(0, -1)}${customer.project.key.endsWith('0') ? '1' : '0'}`;
    const attempts = [
      {},
      { 'x-api-key': wrong },
      { authorization: `Bearer ${wrong}` },
      { authorization: `Basic ${wrong}` },
    ];
    for (const headers of attempts) {
      const reply = await send(headers as Record<string, string>);
      expect(reply.status).toBe(401);
      expect(JSON.stringify(reply.body)).not.toContain(wrong);
    }
    expect((await customer.account.calls()).length).toBe(before);
  });
});
