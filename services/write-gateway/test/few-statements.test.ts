import { sampleConfig, startTcpProxy, type TcpProxy } from '@sluice/testkit';
import { useGateway, type Seed } from './_gateway';

let proxy: TcpProxy;
const gateway = useGateway({
  reach: async (url) => {
    proxy = await startTcpProxy(url);
    return proxy.url;
  },
});
let seed: Seed;
beforeAll(async () => {
  const contacts = { objectName: 'contacts', deletionSettings: { enabled: true } };
  seed = await gateway.seed({ config: sampleConfig({ write: { objects: { contacts } } }) });
});
afterAll(() => proxy.close());

const create = { type: 'create', record: { email: 'a@x.com' } };
const update = { type: 'update', record: { id: '42', city: 'Bern' } };
const remove = { type: 'delete', record: { id: '43' } };

/**
 * Statements of one write, before it is sent and in all. Key and installation are known for a second, and plans are made anew every five. So the fewest
 * of some writes are those of the write itself; a slow machine needs more of them.
 */
async function statementsOf(body: object, expected: number): Promise<{ toOpen: number; inAll: number }> {
  const { answer } = gateway.hubspot;
  let fewest = { toOpen: 0, inAll: Infinity };
  for (let time = 0; time < 40 && fewest.inAll > expected; time += 1) {
    const before = proxy.statements();
    let toOpen = 0;
    gateway.hubspot.answer = (call) => {
      toOpen = proxy.statements() - before;
      return answer(call);
    };
    await gateway.write(seed, body).expect(200);
    const inAll = proxy.statements() - before;
    if (inAll < fewest.inAll) fewest = { toOpen, inAll };
  }
  gateway.hubspot.takeAll();
  return fewest;
}

// Each is a round trip that the caller waits for (ADR 17).
it.each<[string, object]>([
  ['a create', create],
  [
    'a batch of creates',
    { type: 'create', batch: [{ record: { email: 'b@x.com' } }, { record: { email: 'c@x.com' } }] },
  ],
])('%s is two statements: open, settle', async (_, body) => {
  expect(await statementsOf(body, 2)).toEqual({ toOpen: 1, inAll: 2 });
});

it.each<[string, object]>([
  ['an update', update],
  ['a delete', remove],
])('%s takes its locks in one statement, opens in another, in one transaction, and settles in one', async (_, body) => {
  const toOpen = ['begin', 'lock', 'open', 'commit'].length;
  expect(await statementsOf(body, toOpen + 1)).toEqual({ toOpen, inAll: toOpen + 1 });
});
