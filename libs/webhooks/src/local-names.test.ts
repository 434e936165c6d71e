import { parseLocalNames } from './local-names';

const hosts = `# a comment
127.0.0.1\tlocalhost
10.0.0.7  receiver Receiver.Cluster.example # behind
2001:db8::7 receiver
not-an-address ignored
`;
const resolvConf = `nameserver 10.96.0.10
domain ignored.example
search ns.svc.cluster.local svc.cluster.local. cluster.local
options ndots:5
`;
const names = parseLocalNames(hosts, resolvConf);

it.each([
  ['receiver', ['10.0.0.7', '2001:db8::7']],
  ['RECEIVER.cluster.EXAMPLE.', ['10.0.0.7']],
  ['localhost', ['127.0.0.1']],
  ['behind', []],
  ['ignored', []],
])('/etc/hosts: %s', (name, addresses) => {
  expect(names.addressesOf(name).map(({ address }) => address)).toEqual(addresses);
});

it('knows this machine also without a file', () => {
  const none = parseLocalNames('', '');
  const loopback = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  expect([none.addressesOf('localhost'), none.addressesOf('app.localhost')]).toEqual([loopback, loopback]);
  expect(none.addressesOf('notlocalhost')).toEqual([]);
  expect(none.candidates('receiver')).toEqual(['receiver']);
});

it.each([
  [
    'hooks.acme.com',
    [
      'hooks.acme.com',
      'hooks.acme.com.ns.svc.cluster.local',
      'hooks.acme.com.svc.cluster.local',
      'hooks.acme.com.cluster.local',
    ],
  ],
  ['receiver', ['receiver.ns.svc.cluster.local', 'receiver.svc.cluster.local', 'receiver.cluster.local', 'receiver']],
  ['hooks.acme.com.', ['hooks.acme.com']],
])('asks DNS for %s', (name, candidates) => {
  expect(names.candidates(name)).toEqual(candidates);
});
