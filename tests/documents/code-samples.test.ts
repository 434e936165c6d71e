import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seedSandboxDemo } from '@sluice/local';
import { runProgram } from '../command-line/run-sluice';
import { startEmbeddedStack } from '../harness/embedded-stack';

const root = join(__dirname, '../..');
const page = join(root, 'libs/reference/dist/page');

interface Operation {
  readonly operationId: string;
  readonly 'x-api': 'management' | 'search' | 'write';
  readonly 'x-codeSamples': readonly { readonly lang: string; readonly label: string; readonly source: string }[];
}

interface Sample extends Pick<Operation, 'operationId'> {
  readonly lang: string;
  readonly api: Operation['x-api'];
  readonly path: string;
  readonly method: string;
  readonly name: string;
  readonly source: string;
}

/** The samples of the API reference, as `libs/reference/build.mjs` made them. */
function samplesOfPage(): Sample[] {
  const [file = ''] = readdirSync(page).filter((name) => /^api-\w+\.json$/.test(name));
  const { paths } = JSON.parse(readFileSync(join(page, file), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId, 'x-api': api, 'x-codeSamples': samples }]) =>
      samples.map(({ lang, label, source }) => ({
        operationId,
        api,
        path,
        method,
        lang,
        source,
        name: `${operationId}, ${label}`,
      })),
    ),
  );
}

// Inside the repository, where `@sluice/client` and the compiler's settings are found.
const folder = mkdtempSync(join(__dirname, 'samples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('every sample of the API reference is a call that the client takes', () => {
  const samples = samplesOfPage().filter(({ lang }) => lang === 'js');
  expect(samples.length).toBeGreaterThan(60);
  const [imported = ''] = samples[0]?.source.split('\n') ?? [];
  const programs = samples.map(({ name, source }) => {
    const program = source.replace(imported, '').replace('process.env.KEY', "process.env['KEY'] ?? ''");
    return `// ${name}\nasync () => {${program}\n},`;
  });
  writeFileSync(join(folder, 'samples.ts'), `${imported}\nexport const samples = [\n${programs.join('\n')}\n];`);
  const settings = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { noEmit: true, composite: false, incremental: false, rootDir: root, types: ['node'] },
    files: ['samples.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  expect(complaintsOfCompiler()).toBe('');
});

function complaintsOfCompiler(): string {
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    return '';
  } catch (error) {
    return String((error as { readonly stdout: Buffer }).stdout);
  }
}

/** What can be made twice: with the client and with curl. */
const repeatable = ['createApiKey', 'createWebhookEndpoint', 'createConnectSession', 'oauthConnect', 'previewManifest'];
/** What the demo has once: in the order in which it can be made. */
const once = ['createIntegration', 'deployManifest', 'createProviderApp', 'createGroup', 'createConsumer'];
/** Of what the demo has, or that the service has not without a setting. */
const isRead = ({ path, method, operationId }: Sample) =>
  (method === 'get' || operationId === 'searchRecords') &&
  !/\{\w+Id\}/.test(path.replace('{integrationId}', '')) &&
  operationId !== 'generateUploadUrl';

it('samples of reads and creates run as they are shown with the demo of npm start', async () => {
  const stack = await startEmbeddedStack();
  try {
    const secrets = { adminKey: stack.adminKey, credentialsKeys: '' };
    const { demo } = await seedSandboxDemo({ folder, addresses: stack, secrets });
    const servers = { management: demo.baseUrl, search: demo.searchUrl, write: demo.writeUrl };
    const shown = samplesOfPage();
    const of = (lang: string, names: readonly string[]) =>
      names.flatMap((name) => shown.filter((sample) => sample.operationId === name && sample.lang === lang));
    const writes = of('js', ['writeRecords']).filter(({ name }) => /A batch, now|One record, later/.test(name));
    const single = of('shell', ['writeRecords']).filter(({ name }) => name.endsWith('One record, now'));
    const reads = shown.filter(isRead);
    expect([writes.length, single.length]).toEqual([3, 1]);
    expect(reads.length).toBeGreaterThan(40);
    const created = [...of('js', [...once, ...repeatable]), ...of('shell', repeatable)];
    // The one that writes now before those that write the same contact later.
    const run = [...created, ...single, ...writes, ...reads];
    const programs = run.map((sample, at) => {
      const source = sample.source.replaceAll('{server}', servers[sample.api]);
      const file = join(folder, `sample${at}.${sample.lang === 'js' ? 'mjs' : 'sh'}`);
      writeFileSync(file, source);
      return { name: sample.name, file };
    });
    // One process for all: each prints its name when it fails.
    writeFileSync(join(folder, 'run.mjs'), runner);
    writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
    writeFileSync(join(folder, 'programs.json'), JSON.stringify(programs));
    const env = { KEY: demo.apiKey, CURL_HOME: folder };
    const { stdout } = await runProgram(process.execPath, [join(folder, 'run.mjs')], { env });
    expect(JSON.parse(stdout.split('\n').at(-2) ?? '')).toEqual([]);
  } finally {
    await stack.stop();
  }
});

const runner = `
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
const failures = [];
for (const { name, file } of JSON.parse(readFileSync(new URL('programs.json', import.meta.url)))) {
  try {
    if (file.endsWith('.sh')) execFileSync('bash', [file], { stdio: 'pipe' });
    else await import(file);
  } catch (error) {
    failures.push([name, String(error.message), String(error.stdout ?? '')]);
  }
}
console.log(JSON.stringify(failures));
`;
