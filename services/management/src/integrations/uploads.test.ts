import { ValidationError } from '@sluice/errors';
import { zipOf, type ZipEntry } from '@sluice/testkit';
import { manifestIn } from './uploads';

const text = 'specVersion: 1.0.0\nintegrations:\n  - name: crm\n    provider: hubspot\n';
const manifest: ZipEntry = { name: 'amp.yaml', content: text };

async function refusal(zip: Buffer): Promise<ValidationError> {
  const error: unknown = await manifestIn(zip).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ValidationError) return error;
  throw new Error(`it was not refused but ${String(error)}`);
}

describe('the manifest', () => {
  it.each<[string, readonly ZipEntry[]]>([
    ['alone, as the published command line sends it', [manifest]],
    ['by its other name', [{ ...manifest, name: 'amp.yml' }]],
    [
      'in a folder, beside other files',
      [
        { name: 'crm/', content: '' },
        { ...manifest, name: 'crm/amp.yaml' },
        { name: 'crm/x.md', content: 'x' },
      ],
    ],
    ['not compressed', [{ ...manifest, isDeflated: false }]],
    ['beside what macOS adds', [manifest, { name: '__MACOSX/._amp.yaml', content: 'x' }]],
  ])('is read %s', async (_how, entries) => {
    expect((await manifestIn(zipOf(entries))).toString()).toBe(text);
  });

  it('of a megabyte is read, and of a byte more is not', async () => {
    const bytes = 1_048_576;
    expect(await manifestIn(zipOf([{ name: 'amp.yaml', content: 'x'.repeat(bytes) }]))).toHaveLength(bytes);
    const error = await refusal(zipOf([{ name: 'amp.yaml', content: 'x'.repeat(bytes + 1) }]));
    expect(error.issues).toMatchObject([{ name: 'zip', value: '1048577' }]);
  });
});

describe('[sec-51] is refused, with the rule, the value and a remedy', () => {
  it.each<[string, Buffer, string, string | undefined]>([
    ['no zip', Buffer.from('specVersion: 1.0.0'), 'is not a zip that can be read', undefined],
    ['nothing', Buffer.alloc(0), 'is not a zip that can be read', undefined],
    ['an empty zip', zipOf([]), 'holds no amp.yaml', ''],
    ['no manifest', zipOf([{ name: 'sluice.yaml', content: text }]), 'holds no amp.yaml and no amp.yml', 'sluice.yaml'],
    [
      'two manifests',
      zipOf([manifest, { ...manifest, name: 'a/amp.yml' }]),
      'holds more than one manifest',
      'amp.yaml, a/amp.yml',
    ],
    [
      'an encrypted entry',
      zipOf([manifest, { name: 'x', content: 'x', isEncrypted: true }]),
      'has an encrypted entry',
      'x',
    ],
    [
      'a name that leads out',
      zipOf([{ ...manifest, name: '../amp.yaml' }]),
      'invalid relative path: ../amp.yaml',
      undefined,
    ],
    [
      'a name that leads out, below',
      zipOf([manifest, { name: 'a/../../x', content: '' }]),
      'invalid relative path: a/../../x',
      undefined,
    ],
    [
      'an absolute name',
      zipOf([manifest, { name: '/etc/passwd', content: '' }]),
      'absolute path: /etc/passwd',
      undefined,
    ],
    [
      'a name with backslashes',
      zipOf([manifest, { name: '..\\x', content: '' }]),
      'invalid characters in fileName',
      undefined,
    ],
    [
      'a thousand entries and one',
      zipOf(Array.from({ length: 1_001 }, (_, at) => ({ name: `${at}`, content: '' }))),
      'has more than 1000 entries',
      '1001',
    ],
    [
      'entries of 11 MB together',
      zipOf([manifest, { name: 'x', content: '', statedBytes: 11_000_000 }]),
      'unpacks to more than 10485760 bytes',
      String(11_000_000 + text.length),
    ],
    [
      'what says it is smaller',
      zipOf([{ name: 'amp.yaml', content: Buffer.alloc(50_000_000), statedBytes: 100 }]),
      'is not a zip that can be read: Too many bytes',
      undefined,
    ],
    [
      'what says it is larger',
      zipOf([{ ...manifest, statedBytes: 1_000 }]),
      'is not a zip that can be read: Not enough bytes',
      undefined,
    ],
    ['a wrong checksum', zipOf([{ ...manifest, statedCrc32: 1 }]), 'holds a damaged entry', 'amp.yaml'],
    [
      'another encoding',
      zipOf([{ name: 'amp.yaml', content: Buffer.from([0xff, 0xfe, 0x61]) }]),
      'not encoded as UTF-8',
      undefined,
    ],
  ])('%s', async (_what, zip, rule, value) => {
    const { issues, remedy } = await refusal(zip);
    expect(issues).toMatchObject([
      { in: 'body', name: 'zip', detail: expect.stringMatching(new RegExp(escaped(rule), 'i')) },
    ]);
    expect(issues[0]?.value).toBe(value);
    expect(remedy).toMatch(/^(Zip|Save) /);
  });
});

const escaped = (rule: string): string => rule.replaceAll(/[.\\/]/g, '\\$&');

// Whatever a line or a disk does to a zip: the manifest as it was, or a refusal.
it('never reads another manifest than the one that was zipped', async () => {
  const zip = zipOf([manifest]);
  let read = 0;
  for (let at = 0; at < zip.length * 8; at += 1) {
    const damaged = Buffer.from(zip);
    damaged[at >> 3] = (damaged[at >> 3] ?? 0) ^ (1 << (at & 7));
    const found = await manifestIn(damaged).catch((error: unknown) => error);
    if (found instanceof ValidationError) continue;
    expect(String(found)).toBe(text);
    read += 1;
  }
  for (let length = 0; length < zip.length; length += 1) await refusal(zip.subarray(0, length));
  // Of the bits that nobody reads, such as the time of the file.
  expect(read).toBeGreaterThan(0);
});
