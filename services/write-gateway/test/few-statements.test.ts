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
 * Statements of one write, before it is sent and in all. Key and installation are known for a second, and plans are made anew every five: the
 * fewest of some writes are those of the write itself.
 */
async function statementsOf(body: object): Promise<{ toOpen: number; inAll: number }> {
  const { answer } = gateway.hubspot;
  const counts: { toOpen: number; inAll: number }[] = [];
  for (let time = 0; time < 10; time += 1) {
    const before = proxy.statements();
    let toOpen = 0;
    gateway.hubspot.answer = (call) => {
      toOpen = proxy.statements() - before;
      return answer(call);
    };
    await gateway.write(seed, body).expect(200);
    counts.push({ toOpen, inAll: proxy.statements() - before });
  }
  gateway.hubspot.takeAll();
  const fewest = Math.min(...counts.map(({ inAll }) => inAll));
  return counts.find(({ inAll }) => inAll === fewest) ?? { toOpen: 0, inAll: 0 };
}

// Each is a round trip that the caller waits for (ADR 17).
it.each<[string, object]>([
  ['a create', create],
  [
    'a batch of creates',
    { type: 'create', batch: [{ record: { email: 'b@x.com' } }, { record: { email: 'c@x.com' } }] },
  ],
])('%s is two statements: open, settle', async (_, body) => {
  expect(await statementsOf(body)).toEqual({ toOpen: 1, inAll: 2 });
});

it.each<[string, object]>([
  ['an update', update],
  ['a delete', remove],
])('%s takes its locks in one statement and opens in another, in one transaction', async (_, body) => {
  expect(await statementsOf(body)).toMatchObject({ toOpen: ['begin', 'lock', 'open', 'commit'].length });
});
