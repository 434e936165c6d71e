import { captureDeclared } from '../../test/captured-calls';
import { loadDeclarations } from './load-declarations';

const klaviyo = loadDeclarations().find(({ name }) => name === 'klaviyo');
if (klaviyo === undefined) throw new Error('there is no file of klaviyo');

const since = new Date('2026-11-22T10:00:00Z');
const fields = { email: 'zoe@example.com', first_name: 'Zoë' };

async function find(created: unknown, sent: Readonly<Record<string, unknown>> = {}) {
  const row = { type: 'profile', id: '01A', attributes: { ...fields, ...(created !== undefined && { created }) } };
  const { connector } = captureDeclared(klaviyo as NonNullable<typeof klaviyo>, () => ({ data: [row] }));
  const auth = { accessToken: 'pk_1', kind: 'apiKey' as const };
  const [found] = await connector.findCreated({
    auth,
    objectName: 'profiles',
    records: [{ fields: { ...fields, ...sent }, since }],
  });
  return found;
}

it('a record of the unique value that was made since is ours', async () => {
  expect(await find('2026-11-22T10:00:05+00:00')).toMatchObject({ kind: 'found', matches: [{ recordId: '01A' }] });
});

it('an older one is somebody else’s', async () => {
  expect(await find('2026-11-22T09:00:00+00:00')).toEqual({ kind: 'none', consistent: true });
});

// Its moment is what the write said, so it shows nothing of when, or by whom, it was made.
it.each(['created', 'Created'])('one whose moment the write sets as %s may be ours', async (name) => {
  const moment = '2019-03-01T10:00:00+00:00';
  expect(await find(moment, { [name]: moment })).toEqual({ kind: 'none', consistent: true, near: ['01A'] });
});

// It has our unique value and all that we sent: "not created" would end in a second send, its refusal, and a failure that is none.
it.each([undefined, null, '', 'yesterday', 1_795_341_605, { at: '2026-11-22T10:00:05Z' }])(
  'one that tells no moment, but %j, is neither ours nor nobody’s',
  async (created) => {
    expect(await find(created)).toEqual({ kind: 'none', consistent: true, near: ['01A'] });
  },
);
