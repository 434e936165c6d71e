import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { clientAddress } from './client-address';

const addressOf = clientAddress(['10.0.0.0/8', 'fd00::/16']);

/** A request from an address, with the hops that its headers name. */
const from = (remoteAddress: string, hops?: string) =>
  addressOf({ remoteAddress } as Socket, { headers: { 'x-forwarded-for': hops } } as unknown as IncomingMessage);

it.each([
  ['who is no proxy writes what it likes', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['a proxy names its client', '10.1.2.3', '203.0.113.7', '203.0.113.7'],
  ['what the client wrote before is not believed', '10.1.2.3', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['proxies behind each other', '10.1.2.3', '198.51.100.1, 203.0.113.7,10.9.9.9, fd00::5', '203.0.113.7'],
  ['a socket for both families', '::ffff:10.1.2.3', '203.0.113.7', '203.0.113.7'],
  ['an address with its port', '10.1.2.3', '203.0.113.7:61000', '203.0.113.7'],
  ['IPv6 counts by the network of a subscriber', '10.1.2.3', '[2001:0DB8:1:2:3:4:5:6]:443', '2001:db8:1:2'],
  ['also in short', 'fd00::1', '2001:db8::7', '2001:db8:0:0'],
  ['zeros in the middle', 'fd00::1', '2001::2:3:4:5:6:7', '2001:0:2:3'],
  ['a request of the proxy itself', '10.1.2.3', undefined, undefined],
  ['a proxy that hides its client', '10.1.2.3', 'unknown', undefined],
  ['no address at all', '10.1.2.3', '203.0.113.7, ', undefined],
])('%s', (_case, remote, hops, owner) => {
  expect(from(remote, hops)).toBe(owner);
});
