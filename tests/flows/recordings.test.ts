import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replayRecording, scrubRecording, type Recording } from '@sluice/certify';
import { poisoned, secret } from './recordings/poison';

type Finding = Recording['findings'][number];

const folder = join(__dirname, 'recordings');
const recordings = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recording] as const);

/** Stand-ins are counted, and there are more of them in a recording with more. */
const withoutIds = (finding: Finding) => ({ ...finding, seen: finding.seen.replace(/\S*\d{4}\S*/g, '<id>') });

it('there is one of each provider that has been certified', () => {
  const providers = recordings.map(([, { provider }]) => provider);
  const known = ['hubspot', 'salesforce', 'pipedrive', 'zendeskSupport', 'klaviyo', 'zoho', 'close', 'freshdesk'];
  expect(new Set(providers)).toEqual(new Set(known));
});

type Exchange = Recording['exchanges'][number];

/** What a recording gives for a capability when some of its replies are other ones. */
async function findingOf(provider: string, capability: string, changed: (exchange: Exchange) => unknown) {
  const recording = recordings.map(([, one]) => one).find((one) => one.provider === provider);
  if (!recording) throw new Error(`${provider}: no recording`);
  const exchanges = recording.exchanges.map((exchange) => {
    const json = changed(exchange);
    return json === undefined
      ? exchange
      : { ...exchange, reply: { status: 200, headers: {}, ...exchange.reply, json } };
  });
  const { findings } = await replayRecording({ ...recording, exchanges });
  return findings.find((finding) => finding.capability === capability);
}

describe('a row that', () => {
  it('was refused as a whole and changed records all the same differs', async () => {
    const capability = 'batch update, all or none';
    const changed = ({ step, reply }: Exchange) =>
      step === capability
        ? (JSON.parse(JSON.stringify(reply?.json).replace('Certified twice', 'Certified never')) as unknown)
        : undefined;
    const finding = await findingOf('salesforce', capability, changed);
    expect(finding).toMatchObject({ verdict: 'differs', seen: expect.stringContaining('was changed') as string });
  });

  it.each(['create with an association', 'update with an association'])(
    'was accepted and is linked to nothing is not ok: %s',
    async (capability) => {
      const changed = ({ request }: Exchange) =>
        JSON.stringify(request.body ?? '').includes('associations.company') ? { total: 0, results: [] } : undefined;
      expect((await findingOf('hubspot', capability, changed))?.verdict).not.toBe('ok');
    },
  );
});

describe.each(recordings)('%s', (_, recording) => {
  it('asks what was asked, and finds what was found', async () => {
    const { findings, unmatched, unused } = await replayRecording(recording);
    expect({ unmatched, unused }).toEqual({ unmatched: [], unused: [] });
    expect(findings).toEqual(recording.findings);
  });

  it('has nothing that opens an account, and nothing of a person', () => {
    const text = JSON.stringify(recording);
    expect(text).not.toMatch(/Bearer|authorization/i);
    expect(text).not.toMatch(/pat-(?!na1-scrubbed)|00D\w{12,}!/);
    const addresses = text.match(/[\w.+-]+@[\w-]+\.[\w.]+/g) ?? [];
    expect(addresses.filter((address) => !address.endsWith('@example.com'))).toEqual([]);
  });

  it('whatever else a provider says of people comes into no recording, and it works as before', async () => {
    const scrubbed = scrubRecording(poisoned(recording));
    expect(JSON.stringify(poisoned(recording))).toContain(secret);
    expect(JSON.stringify(scrubbed)).not.toMatch(/zanary/i);
    const { findings, unmatched, unused } = await replayRecording(scrubbed);
    expect({ unmatched, unused }).toEqual({ unmatched: [], unused: [] });
    expect(findings.map(withoutIds)).toEqual(recording.findings.map(withoutIds));
  });
});
