/**
 * `node tests/move-limits.mjs [LIMIT]...`, in a compiled checkout: moves each number of libs/types/src/limits.ts by one, up and down, in the source and
 * in what was compiled of it, and runs the suite that must turn red. A limit that may be moved with all tests green is guarded by none. Ends with 1
 * then. Puts the two files back, also when it is interrupted.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = ['libs/types/src/limits.ts', 'libs/types/dist/limits.js'].map((file) => join(root, file));
const originals = files.map((file) => readFileSync(file, 'utf8'));

/** The suite that guards a limit; of most libs/http/src/limits.test.ts, which checks both sides of it. */
const suites = {
  bodyBytesMax: 'libs/(types|http)/src/[^/]*.test',
  forwardedHeadersBytesMax: 'libs/types/src/forwarded-headers',
  forwardedHeaderNameCharactersMax: 'libs/types/src/forwarded-headers',
  nameCharactersMax: 'libs/types/src',
  issuesMax: 'libs/(types|http)/src/[^/]*.test',
  autoBatchRecordsMax: 'libs/store/test/auto-batch',
  idempotencyKeyCharactersMax: 'write-gateway/test/idempotency',
  idempotencyKeyHours: 'libs/store/test/idempotency|batcher/test/sweep-keys',
  recordRefCharactersMax: 'write-gateway/test/(accept|bad-input)',
  callPlanBytesMax: 'libs/writes/src/planning/plan-calls',
  pageBytesMax: 'services/management/src/limits',
  recordListItemsMax: 'write-gateway/test/bad-input',
  textBytesMax: 'write-gateway/test/bad-input',
  bodyValuesMax: 'write-gateway/test/bad-input',
  planBytesMax: 'write-gateway/test/bad-input',
  searchPageRecords: 'search/test/search-records',
  configCharactersMax: 'services/management/src/limits',
  jwtLifetimeSecondsMax: 'libs/installations/src/find-caller-token',
  pageSizeDefault: 'services/management/src/limits',
};
const restore = () => files.forEach((file, at) => writeFileSync(file, originals[at]));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => (restore(), process.exit(130)));

const chosen = process.argv.slice(2);
const names = [...originals[0].matchAll(/^ {2}(\w+): [\d_]+,$/gm)].map(([, name]) => name);
for (const name of names.filter((each) => chosen.length === 0 || chosen.includes(each))) {
  for (const by of [1, -1]) {
    const isRed = await moveAndTest(name, by);
    process.stdout.write(`${isRed ? 'red  ' : 'GREEN'}  ${name} ${by > 0 ? '+' : '-'}1\n`);
    if (!isRed) process.exitCode = 1;
  }
}

async function moveAndTest(name, by) {
  files.forEach((file, at) => {
    const number = new RegExp(`(\\b${name}: )([\\d_]+)`);
    writeFileSync(
      file,
      originals[at].replace(number, (_, head, value) => head + (Number(value.replaceAll('_', '')) + by)),
    );
  });
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '-c', join(root, 'jest.config.js'), '--silent', '--bail'];
  const pattern = suites[name] ?? 'libs/http/src/limits.test';
  const args = [...jest, '--testPathPatterns', pattern];
  const failure = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 64_000_000 }).then(
    () => undefined,
    (error) => error,
  );
  restore();
  if (failure?.stdout?.includes('No tests found') ?? false) throw new Error(`${name}: no test at ${pattern}`);
  return failure !== undefined;
}
