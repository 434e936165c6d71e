import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { zipOf } from '@sluice/testkit';
import type { SignedUrl } from '@sluice/types';
import supertest from 'supertest';
import { startManagement, type ProjectWithKey, type RunningManagement } from './start-management';

let management: RunningManagement;
let project: ProjectWithKey;
let outside: Server;
let visits = 0;
beforeAll(async () => {
  management = await startManagement();
  project = await management.newProject();
  outside = createServer((_req, res) => {
    visits += 1;
    res.end(zip);
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => outside.close(resolve));
  await management.stop();
});

const yaml = (name: string) => `specVersion: 1.0.0\nintegrations:\n  - name: ${name}\n    provider: hubspot\n`;
const zip = zipOf([{ name: 'amp.yaml', content: yaml('zipped') }]);
const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('base64');

async function signed(query: object = {}, key = project.key): Promise<SignedUrl> {
  return (await management.as(key).get('/v1/generate-upload-url').query(query).expect(200)).body as SignedUrl;
}

/** Puts at the address as it was handed out, but for the origin, which is that of no test. */
function put(url: string, bytes: Buffer, headers: Record<string, string> = {}): supertest.Test {
  const { pathname } = new URL(url);
  const sent = supertest(management.url).put(pathname).set('content-type', 'application/zip').set(headers);
  return sent.serialize((body: unknown) => body as string).send(bytes);
}

const deploy = (sourceZipUrl: string, { key, id } = project) =>
  management.as(key).put(`/v1/projects/${id}/integrations:batch`).send({ sourceZipUrl });

const nameOf = ({ bucket, path }: SignedUrl) => `gs://${bucket}/${path}`;
const idOf = ({ path }: SignedUrl) => path.split('/').at(-1)?.replace('.zip', '') ?? '';

/** Ends the hour of an upload, after a check of how long it would have lasted. */
async function expire(address: SignedUrl): Promise<void> {
  const { database } = management;
  const rows = database('uploads').where({ project_id: project.id, id: idOf(address) });
  const left = database.raw('extract(epoch from expires_at - now())::float8 as left');
  const [row] = await rows.clone().select<{ left: number }[]>(left);
  expect(row?.left).toBeGreaterThan(3_500);
  expect(row?.left).toBeLessThanOrEqual(3_600);
  await rows.update({ expires_at: database.raw('now()') });
}

describe('200', () => {
  it('deploys as the published command line does: address, zip without a content type, batch', async () => {
    const md5 = md5Of(zip);
    const address = await signed({ md5 });
    expect(address.url).toMatch(/^https:\/\/sluice\.example\/v1\/uploads\/[\w-]+\.[\w-]{43}$/);
    const reply = await fetch(`${management.url}${new URL(address.url).pathname}`, {
      method: 'PUT',
      headers: { 'content-md5': md5 },
      body: new Uint8Array(zip),
    });
    expect([reply.status, await reply.text()]).toEqual([200, '']);
    const deployed = await deploy(nameOf(address)).expect(200);
    expect(deployed.body).toMatchObject([{ name: 'zipped', provider: 'hubspot' }]);
    // Again, because a reply may be lost on its way.
    expect((await deploy(nameOf(address)).expect(200)).body).toEqual(deployed.body);
  });

  it('gives one integration a revision from a zip', async () => {
    const address = await signed();
    await put(address.url, zipOf([{ name: 'crm/amp.yml', content: yaml('zipped') }])).expect(200);
    const revisions = `/v1/projects/${project.id}/integrations/zipped/revisions`;
    await management
      .as(project.key)
      .post(revisions)
      .send({ sourceZipUrl: nameOf(address) })
      .expect(201);
  });

  it('keeps of the address its hash, and of the zip its manifest', async () => {
    const address = await signed();
    await put(
      address.url,
      zipOf([
        { name: 'amp.yaml', content: yaml('x') },
        { name: 'secrets.env', content: 'A=1' },
      ]),
    );
    const token = address.url.split('/').at(-1) ?? '';
    const kept = await management.context.store.uploads.find({ projectId: project.id, id: idOf(address) });
    expect(kept?.manifest?.toString()).toBe(yaml('x'));
    expect(address.path).not.toContain(token.split('.')[1]);
    const tokenHash = createHash('sha256').update(token).digest('base64url');
    expect(await management.context.store.uploads.findByToken({ projectId: project.id, tokenHash })).toEqual(kept);
  });
});

describe('who gets an address', () => {
  it.each(['', 'x', '1B2M2Y8AsgTpgAmY7PhCfg', '1B2M2Y8AsgTpgAmY7PhCfh==', 'd41d8cd98f00b204e9800998ecf8427e'])(
    'not for the md5 %j',
    async (md5) => {
      const reply = await management.as(project.key).get('/v1/generate-upload-url').query({ md5 }).expect(400);
      expect(reply.body).toMatchObject({ issues: [{ in: 'query', name: 'md5' }] });
    },
  );
});

describe('a zip that is refused leaves its address good', () => {
  const other = zipOf([{ name: 'amp.yaml', content: yaml('other') }]);

  interface Sent {
    readonly what: string;
    readonly bytes?: Buffer;
    readonly headers?: Record<string, string>;
    readonly status: number;
    readonly expected: object;
  }
  it.each<Sent>([
    {
      what: 'not what was announced',
      bytes: other,
      status: 400,
      expected: { issues: [{ in: 'body', name: 'zip', value: md5Of(other) }] },
    },
    {
      what: 'with the MD5 of another body',
      headers: { 'content-md5': md5Of(other) },
      status: 400,
      expected: { issues: [{ in: 'header', name: 'Content-MD5', value: md5Of(other) }] },
    },
    {
      what: 'larger than a megabyte',
      bytes: randomBytes(1_048_577),
      status: 413,
      expected: { code: 'request.body-too-large', remedy: 'Zip amp.yaml alone.' },
    },
  ])('$what', async ({ bytes = zip, headers = {}, status, expected }) => {
    const address = await signed({ md5: md5Of(zip) });
    expect((await put(address.url, bytes, headers).expect(status)).body).toMatchObject(expected);
    const before = await deploy(nameOf(address)).expect(400);
    expect(before.body).toMatchObject({
      issues: [{ name: 'sourceZipUrl', detail: 'names an upload to which nothing was put' }],
    });
    await put(address.url, zip).expect(200);
  });
});

describe('[sec-51] an address', () => {
  const zipNamed = (name: string) => zipOf([{ name: 'amp.yaml', content: yaml(name) }]);
  const taken = { code: 'upload.taken', detail: 'Another zip was put at this address before.' };

  it('takes one zip: another one is 409, also with the same manifest, damaged, or when they come at once', async () => {
    const { url } = await signed();
    const replies = await Promise.all(['a', 'b', 'c'].map((name) => put(url, zipNamed(name))));
    expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409]);
    const address = await signed();
    await put(address.url, zip).expect(200);
    const alike = zipOf([
      { name: 'amp.yaml', content: yaml('zipped') },
      { name: 'README.md', content: 'x' },
    ]);
    for (const bytes of [zipNamed('other'), alike, zip.subarray(1)])
      expect((await put(address.url, bytes).expect(409)).body).toMatchObject(taken);
    expect((await deploy(nameOf(address)).expect(200)).body).toMatchObject([{ name: 'zipped' }]);
  });

  // The reply to the first may have been lost.
  it('takes the same zip again and answers alike, at once, afterwards and after its deployment', async () => {
    const address = await signed({ md5: md5Of(zip) });
    const again = async () => {
      const { status, text } = await put(address.url, zip);
      return [status, text];
    };
    expect(await Promise.all([again(), again(), again()])).toEqual([
      [200, ''],
      [200, ''],
      [200, ''],
    ]);
    await deploy(nameOf(address)).expect(200);
    expect(await again()).toEqual([200, '']);
    await put(address.url, zip, { 'content-md5': md5Of(zipNamed('other')) }).expect(400);
    await expire(address);
    await put(address.url, zip).expect(404);
  });

  it('is 404 when it is unknown, changed, of another project or an hour old, with the same words', async () => {
    const { url } = await signed();
    const other = await management.newProject();
    const [, secret = ''] = url.split(`${project.id}.`);
    const old = await signed();
    await expire(old);
    const paths = ['x', `${project.id}.${'A'.repeat(43)}`, `${other.id}.${secret}`, old.url.split('/').at(-1) ?? ''];
    const replies = await Promise.all(paths.map((token) => put(`https://x/v1/uploads/${token}`, zip).expect(404)));
    const expected = replies.map(({ body }) => body as { code: string; detail: string });
    expect(new Set(expected.map(({ code, detail }) => `${code} ${detail}`)).size).toBe(1);
    expect(expected[0]).toMatchObject({ code: 'upload.not-found' });
    await put(url, zip).expect(200);
  });

  it('is looked up before a body is read', async () => {
    const reply = await put(`https://x/v1/uploads/${project.id}.${'A'.repeat(43)}`, randomBytes(1_048_577));
    expect(reply.status).toBe(404);
  });
});

it('a manifest of a zip with half a surrogate pair as an escape is refused, in a name and in a value', async () => {
  const before = await management.countRows();
  for (const [text, line] of [
    [yaml(String.raw`"crm\uD83D"`), 'line 3, column 11'],
    [`${yaml('halves')}    "re\\U0000dfffad": {}\n`, 'line 5, column 5'],
  ] as const) {
    const address = await signed();
    await put(address.url, zipOf([{ name: 'amp.yaml', content: text }])).expect(200);
    const detail = expect.stringMatching(new RegExp(`lone surrogate.*${line}`)) as string;
    expect((await deploy(nameOf(address)).expect(400)).body).toMatchObject({ issues: [{ detail }] });
  }
  expect((await management.countRows())['integrations']).toBe(before['integrations']);
});

describe('[sec-51] 400 sourceZipUrl', () => {
  const refused = async (sourceZipUrl: string, who = project) =>
    (await deploy(sourceZipUrl, who).expect(400)).body as { detail: string; remedy: string; issues: object[] };

  it('of any other place is refused, and nobody goes there', async () => {
    const { port } = outside.address() as AddressInfo;
    for (const url of [
      `http://127.0.0.1:${port}/a.zip`,
      'https://example.com/a.zip',
      'gs://other/a.zip',
      'gs://sluice-uploads.evil/a.zip',
      'file:///etc/passwd',
      '//sluice-uploads/a.zip',
      'GS://sluice-uploads/a.zip',
    ]) {
      const { issues, remedy } = await refused(url);
      const detail = 'must start with gs://sluice-uploads/: nothing is fetched from elsewhere';
      expect(issues).toEqual([{ in: 'body', name: 'sourceZipUrl', detail, value: url }]);
      expect(remedy).toContain('generate-upload-url');
    }
    expect(visits).toBe(0);
  });

  it('of another project is answered like one that never was, and like one that ended', async () => {
    const theirs = await management.newProject();
    const address = await signed({}, theirs.key);
    await put(address.url, zip).expect(200);
    const mine = await signed();
    await put(mine.url, zip).expect(200);
    await expire(mine);
    const urls = [
      nameOf(address),
      nameOf(mine),
      `gs://sluice-uploads/${project.id}/x.zip`,
      'gs://sluice-uploads/../a.zip',
    ];
    for (const url of urls) {
      const { issues } = await refused(url);
      const detail = 'names no upload of this project of the last hour';
      expect(issues).toEqual([{ in: 'body', name: 'sourceZipUrl', detail, value: url }]);
    }
    await deploy(nameOf(address), theirs).expect(200);
  });

  it('names the line and column of what is wrong in the manifest', async () => {
    const address = await signed();
    await put(address.url, zipOf([{ name: 'amp.yaml', content: 'specVersion: 1.0.0\nintegrations:\n  - nme: crm\n' }]));
    const { issues } = await refused(nameOf(address));
    expect(issues).toContainEqual(expect.objectContaining({ detail: expect.stringContaining('(line 3, column 5)') }));
    const broken = await signed();
    await put(broken.url, zipOf([{ name: 'amp.yaml', content: 'a: [' }])).expect(200);
    expect((await refused(nameOf(broken))).issues).toMatchObject([
      { name: 'sourceZipUrl', detail: expect.stringContaining('line 1') },
    ]);
  });
});
