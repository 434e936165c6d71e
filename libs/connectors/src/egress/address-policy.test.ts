import { addressPolicy } from './address-policy';

const policy = addressPolicy([]);

describe('[sec-16] an address that a provider may not be at', () => {
  it.each([
    ['this host', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['loopback, elsewhere', '127.255.255.254'],
    ['private 10', '10.0.0.1'],
    ['private 172.16', '172.16.0.1'],
    ['the end of private 172', '172.31.255.255'],
    ['private 192.168', '192.168.1.1'],
    ['shared, CGNAT', '100.64.0.1'],
    ['the end of CGNAT', '100.127.255.255'],
    ['link-local', '169.254.0.1'],
    ['the metadata service of a cloud', '169.254.169.254'],
    ['the metadata service of containers', '169.254.170.2'],
    ['protocol assignments', '192.0.0.1'],
    ['metadata at Oracle', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['documentation 2', '198.51.100.7'],
    ['documentation 3', '203.0.113.9'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarks', '198.18.0.1'],
    ['benchmarks, upper half', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast, the end', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback v6', '::1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback in hex', '::ffff:7f00:1'],
    ['mapped public', '::ffff:8.8.8.8'],
    ['compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::1'],
    ['discard', '100::1'],
    ['Teredo', '2001::1'],
    ['ORCHID', '2001:20::1'],
    ['documentation v6', '2001:db8::1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['documentation v6, new', '3fff::1'],
    ['unique local', 'fd00::1'],
    ['metadata of AWS over v6', 'fd00:ec2::254'],
    ['link-local v6', 'fe80::1'],
    ['link-local with a scope', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast v6', 'ff02::1'],
    ['no address', 'localhost'],
    ['nothing', ''],
    ['an address in decimal', '2130706433'],
    ['a short address', '127.1'],
  ])('%s', (_, address) => {
    expect(policy(address)).toBeUndefined();
  });
});

it.each([
  '8.8.8.8',
  '104.16.1.1',
  '100.63.255.255',
  '172.32.0.1',
  '169.253.1.1',
  '2606:4700::6810:101',
  '2a00:1450::1',
])('%s is public', (address) => {
  expect(policy(address)).toBe('public');
});

describe('networks that the operator names', () => {
  const named = addressPolicy(['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1/32']);
  it.each([
    ['10.1.2.3', 'named'],
    ['fd00:1::5', 'named'],
    ['127.0.0.1', 'named'],
    ['10.2.0.1', undefined],
    ['127.0.0.2', undefined],
    ['fd00:2::1', undefined],
    ['8.8.8.8', 'public'],
  ])('%s', (address, verdict) => {
    expect(named(address)).toBe(verdict);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'ten/8', '10.0.0/8', '/8', '10.0.0.0/-1'])(
    '%p is refused',
    (cidr) => {
      expect(() => addressPolicy([cidr])).toThrow('is no network');
    },
  );
});
