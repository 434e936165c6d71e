import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readProcessEnv } from '@sluice/config';
import { NotCertifiable, runCertification } from './certify/run-certification';
import { certifiable } from './certify/subjects';
import { readLocalSettings } from './local-settings';
import { listenForStop } from './stop-signal';

const usage = `npm run certify -- ${certifiable.join('|')} [--url http://127.0.0.1:4600] [--out file.json] [--keep-ids] [--clean] [--leave]
  Tries in an account what we say of its provider: makes a few marked records, updates, finds and deletes them, proves that
  nothing is left, and compares. Exit code: 0 as we say, 1 something differs or is left.
  The access token stands in <PROVIDER>_ACCESS_TOKEN; for Salesforce the My Domain name stands in SALESFORCE_WORKSPACE.
  --url       the account is one of a sandbox at this address
  --out       where the recorded exchanges go, scrubbed; default <data>/certify/<run>.recording.json
  --keep-ids  the recording keeps the ids of records
  --clean     only removes what earlier runs left
  --leave     the records may stay, where the provider's cannot be deleted through Sluice
  More: docs/guides/certify.md
`;

const options = {
  url: { type: 'string' },
  out: { type: 'string' },
  'keep-ids': { type: 'boolean', default: false },
  clean: { type: 'boolean', default: false },
  leave: { type: 'boolean', default: false },
} as const;

/** `npm run certify -- <provider>`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const asked = readArguments(args);
  if (!asked) return misused(usage);
  const env = readProcessEnv();
  const folder = join(readLocalSettings(env).dataDir, 'certify');
  const onStep = process.stdout.isTTY ? (step: string) => say(`  ${step}`) : () => undefined;
  try {
    return await runCertification({ ...asked, env, folder, signal: listenForStop(), say, onStep });
  } catch (error) {
    if (error instanceof NotCertifiable) return misused(`${error.message}\n${usage}`);
    throw error;
  }
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [provider, ...more] = positionals;
    if (provider === undefined || more.length > 0) return undefined;
    const { url, out, leave, clean: cleanOnly, 'keep-ids': keepIds } = values;
    return {
      provider,
      leave,
      cleanOnly,
      keepIds,
      ...(url !== undefined && { url }),
      ...(out !== undefined && { out }),
    };
  } catch {
    return undefined;
  }
}

function misused(text: string): number {
  process.stderr.write(text);
  return 2;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
