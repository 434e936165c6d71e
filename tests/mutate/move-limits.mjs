/**
 * Moves each number of libs/types/src/limits.ts by one, up and down, in the source and in what was compiled of it, and runs the
 * suites that must notice. A limit that may be moved with all tests green is guarded by none.
 * Run by `npm run test:mutate`; changes the two files for moments and puts them back, also when it is interrupted.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = ['libs/types/src/limits.ts', 'libs/types/dist/limits.js'].map((file) => join(root, file));
const originals = files.map((file) => readFileSync(file, 'utf8'));

/** Who must notice, where it is not a unit test of the types or of what validates: the service that keeps the limit. */
const elsewhere = {
  autoBatchRecordsMax: { project: 'integration', pattern: 'libs/store/test/auto-batch' },
  deadlineHoursDefault: { project: 'integration', pattern: 'write-gateway/test/accept' },
  idempotencyKeyCharactersMax: { project: 'integration', pattern: 'write-gateway/test/idempotency' },
  idempotencyKeyHours: { project: 'integration', pattern: 'libs/store/test/idempotency|batcher/test/sweep-keys' },
  recordRefCharactersMax: { project: 'integration', pattern: 'write-gateway/test/(accept|bad-input)' },
  callPlanBytesMax: { project: 'unit', pattern: 'libs/writes/src/planning/plan-calls' },
  pageBytesMax: { project: 'unit', pattern: 'services/management/src/limits' },
  recordListItemsMax: { project: 'integration', pattern: 'write-gateway/test/bad-input' },
  textBytesMax: { project: 'integration', pattern: 'write-gateway/test/bad-input' },
  bodyValuesMax: { project: 'integration', pattern: 'write-gateway/test/bad-input' },
  planBytesMax: { project: 'integration', pattern: 'write-gateway/test/bad-input' },
  searchPageRecords: { project: 'integration', pattern: 'search/test/search-records' },
  configCharactersMax: { project: 'unit', pattern: 'services/management/src/limits' },
  jwtLifetimeSecondsMax: { project: 'unit', pattern: 'libs/installations/src/find-caller-token' },
  pageSizeDefault: { project: 'unit', pattern: 'services/management/src/limits' },
  waitSecondsMin: { project: 'integration', pattern: 'management/test/operation-wait' },
  waitSecondsMax: { project: 'integration', pattern: 'management/test/operation-wait' },
};
const restore = () => files.forEach((file, at) => writeFileSync(file, originals[at]));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    restore();
    process.exit(130);
  });
}

/** Names on the command line choose. */
const chosen = process.argv.slice(2);
const names = [...originals[0].matchAll(/^ {2}(\w+): [\d_]+,$/gm)]
  .map(([, name]) => name)
  .filter((name) => chosen.length === 0 || chosen.includes(name));
const unnoticed = [];
try {
  for (const name of names) {
    for (const by of [1, -1]) {
      const isNoticed = await isRed(name, by);
      process.stdout.write(`${isNoticed ? 'red  ' : 'GREEN'}  ${name} ${by > 0 ? '+' : '-'}1\n`);
      if (!isNoticed) unnoticed.push(name);
    }
  }
} finally {
  restore();
}
process.stdout.write(`limits: ${names.length * 2 - unnoticed.length} of ${names.length * 2} moves went red\n`);
process.exitCode = unnoticed.length === 0 ? 0 : 1;

async function isRed(name, by) {
  const { project, pattern } = elsewhere[name] ?? { project: 'unit', pattern: 'libs/(types|http)/src' };
  files.forEach((file, at) => {
    const moved = originals[at].replace(
      new RegExp(`(\\b${name}: )([\\d_]+)`),
      (_, head, value) => head + (Number(value.replaceAll('_', '')) + by),
    );
    if (moved === originals[at]) throw new Error(`${name} is not in ${file}; compile first`);
    writeFileSync(file, moved);
  });
  const args = [join(root, 'node_modules/jest/bin/jest.js'), '-c', join(root, 'jest.config.js'), '--silent'];
  const selected = ['--bail', '--testPathPatterns', pattern, '--selectProjects', project];
  const options = { cwd: root, timeout: 300_000, maxBuffer: 64_000_000 };
  const run = await promisify(execFile)(process.execPath, [...args, ...selected], options).then(
    (done) => ({ ...done, isRed: false }),
    (failed) => ({ ...failed, isRed: true }),
  );
  restore();
  if (/No tests found/.test(`${run.stdout}${run.stderr}`)) throw new Error(`${name}: no test at ${pattern}`);
  return run.isRed;
}
