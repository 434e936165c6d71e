import type { LookupFunction } from 'node:net';
import { patientMs, startProviderStub, type ProviderStub } from '../../test/provider-stub';
import { createHttpClient, type HttpOutcome } from '../http-client';
import { addressPolicy } from './address-policy';
import type { Egress } from './guarded-connect';

let stub: ProviderStub;
beforeAll(async () => {
  stub = await startProviderStub();
});
beforeEach(() => stub.replyWith({ status: 200, body: {} }));
afterAll(() => stub.close());

/** A resolver that gives these addresses, one list for each time it is asked; the last one stays. */
function answering(...lists: readonly (readonly string[])[]): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, _, callback) => {
    const list = lists[Math.min(asked.length, lists.length - 1)] ?? [];
    asked.push(hostname);
    callback(
      null,
      list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { lookup, asked };
}

/** One request to an origin beside the client's own, which is somewhere else. */
async function sendTo(origin: string, egress: Partial<Egress> = {}): Promise<HttpOutcome> {
  const client = createHttpClient({ baseUrl: 'https://api.example.com', callTimeoutMs: patientMs, egress });
  try {
    return await client.send({ method: 'POST', path: '/x', headers: {}, body: {}, origin });
  } finally {
    await client.close();
  }
}

const port = () => new URL(stub.url).port;
const refused = { kind: 'not-sent', reason: 'EGRESS_REFUSED' };

describe('[sec-16] where a connection may go is decided when it is made', () => {
  it.each([
    ['an address', '127.0.0.1'],
    ['an address of few parts', '127.1'],
    ['an address in decimal', '2130706433'],
    ['an address in octal', '0177.0.0.1'],
    ['an address in hex', '0x7f000001'],
    ['loopback v6', '[::1]'],
    ['mapped loopback', '[::ffff:127.0.0.1]'],
    ['the metadata service', '169.254.169.254'],
    ['a name of this machine', 'localhost'],
  ])('%s', async (_, host) => {
    expect(await sendTo(`https://${host}:${port()}`)).toMatchObject(refused);
    expect(await sendTo(`http://${host}:${port()}`)).toMatchObject(refused);
    expect(stub.requests).toHaveLength(0);
  });

  it('a name that resolves to a private address', async () => {
    const { lookup } = answering(['10.0.0.1', 'fd00::1', '169.254.169.254']);
    expect(await sendTo('https://acme.example.com', { lookup })).toMatchObject(refused);
  });

  it('without TLS only what the operator named', async () => {
    const { lookup } = answering(['93.184.215.14']);
    expect(await sendTo('http://acme.example.com', { lookup })).toMatchObject(refused);
    expect(await sendTo('http://93.184.215.14')).toMatchObject(refused);
  });

  it('of several addresses the refused ones are not tried', async () => {
    const { lookup } = answering(['10.255.255.1', '127.0.0.1']);
    const policy = addressPolicy(['127.0.0.1/32']);
    expect(await sendTo(`http://acme.example.com:${port()}`, { lookup, policy })).toMatchObject({ kind: 'reply' });
    expect(stub.requests).toHaveLength(1);
  });

  it('a trusted origin is reached whatever its address, and its port is part of it', async () => {
    expect(await sendTo(stub.url, { trustedOrigins: [stub.url] })).toMatchObject({ kind: 'reply' });
    expect(await sendTo(stub.url, { trustedOrigins: ['http://127.0.0.1:1'] })).toMatchObject(refused);
  });

  it('a name that cannot be resolved is reported unchanged', async () => {
    expect(await sendTo('https://sluice.invalid')).toMatchObject({ kind: 'not-sent' });
  });
});

it('[sec-17] a name that was public when it was checked is asked once per connection, and refused when it turns private', async () => {
  const { lookup, asked } = answering(['93.184.215.14'], ['127.0.0.1']);
  const policy = addressPolicy([]);
  const isChecked = policy('93.184.215.14');
  expect(isChecked).toBe('public');
  await new Promise<void>((resolve) => lookup('rebind.example.com', { all: true }, () => resolve()));
  expect(await sendTo(`https://rebind.example.com:${port()}`, { lookup })).toMatchObject(refused);
  expect(asked).toEqual(['rebind.example.com', 'rebind.example.com']);
  expect(stub.requests).toHaveLength(0);
});

it('[sec-17] the address that was checked is the one that is connected to', async () => {
  const { lookup, asked } = answering(['127.0.0.1'], ['10.0.0.1']);
  const policy = addressPolicy(['127.0.0.1/32']);
  expect(await sendTo(`http://rebind.example.com:${port()}`, { lookup, policy })).toMatchObject({ kind: 'reply' });
  expect(asked).toHaveLength(1);
});
