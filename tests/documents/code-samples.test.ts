import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const page = join(root, 'libs/reference/dist/page');

interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
}

/** The samples of the API reference, as `libs/reference/build.mjs` made them. */
function samplesOfPage(): { readonly name: string; readonly source: string }[] {
  const [file = ''] = readdirSync(page).filter((name) => /^api-\w+\.json$/.test(name));
  const { paths } = JSON.parse(readFileSync(join(page, file), 'utf8')) as { readonly paths: object };
  const operations = Object.values(paths).flatMap((item: object) => Object.values(item) as Operation[]);
  return operations.flatMap(({ operationId, 'x-codeSamples': samples }) =>
    samples.map(({ label, source }) => ({ name: `${operationId}, ${label}`, source })),
  );
}

// Inside the repository, where `@sluice/client` and the compiler's settings are found.
const folder = mkdtempSync(join(__dirname, 'samples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('every sample of the API reference is a call that the client takes', () => {
  const samples = samplesOfPage();
  expect(samples.length).toBeGreaterThan(60);
  const calls = samples.map(({ name, source }) => `// ${name}\nasync () => {\n${source}\nreturn reply;\n},`);
  const text = [
    `import type { createSluiceClient } from '@sluice/client';`,
    'declare const client: ReturnType<typeof createSluiceClient>;',
    `export const samples = [\n${calls.join('\n')}\n];`,
  ].join('\n');
  writeFileSync(join(folder, 'samples.ts'), text);
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
