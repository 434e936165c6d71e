import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fixtures } from '@sluice/connectors/conformance';
import { defineEnv, providersEnv, readProcessEnv } from '@sluice/config';
import { listenForStop, readLocalSettings, say } from '@sluice/stack';
import { exitCodes, NotCertifiable, runCertification } from './run-certification';

const usage = `npm run certify -- ${[...fixtures.keys()].join('|')} [--url http://127.0.0.1:4600] [--out file.jsonl] [--clean] [--leave]
  Runs the conformance suite of connectors in an account, with marked records that it removes again, and compares.
  The access token stands in <PROVIDER>_ACCESS_TOKEN; for Salesforce the My Domain name stands in SALESFORCE_WORKSPACE.
  Exit code: 0 every promise is kept; 1 one is not, or something is left; 2 it was called wrongly; 3 the token, its rights, a limit or an
  outage stood in the way.
  --url       the account is one of a sandbox on this machine
  --out       where the log of the exchanges goes, without their values; default <data>/certify/<run>.log.jsonl
  --clean     only removes what earlier runs left
  --leave     the records may stay, where the provider's cannot be deleted through Sluice
  For a provider of SLUICE_PROVIDERS_DIR, as far as its file does not say it:
  --object, --mark, --text   the object, its field for the mark, a text field that can be changed
  --with name=value          another field that its records need; may be repeated
  --absent-id                an id of no record
  More: docs/guides/certify.md
`;

const options = {
  url: { type: 'string' },
  out: { type: 'string' },
  clean: { type: 'boolean', default: false },
  leave: { type: 'boolean', default: false },
  object: { type: 'string' },
  mark: { type: 'string' },
  text: { type: 'string' },
  'absent-id': { type: 'string' },
  with: { type: 'string', multiple: true },
} as const;

const environment = defineEnv({ SLUICE_PROVIDERS_DIR: providersEnv.SLUICE_PROVIDERS_DIR });

/** `npm run certify -- <provider>`. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const asked = readArguments(args);
  if (typeof asked === 'string') return usageError(asked);
  const env = readProcessEnv();
  const folder = join(readLocalSettings(env).dataDir, 'certify');
  const onStep = process.stdout.isTTY ? (step: string) => say(`  ${step}`) : () => undefined;
  try {
    const { providersDir } = environment.read(env);
    return await runCertification({ ...asked, providersDir, env, folder, signal: listenForStop(), say, onStep });
  } catch (error) {
    if (error instanceof NotCertifiable) return usageError(`${error.message}\n`);
    throw error;
  }
}

/** @returns why they cannot be used, with what can */
function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [provider, ...more] = positionals;
    if (provider === undefined || more.length > 0) return usage;
    const { url, out, leave, clean: cleanOnly, object, mark, text, 'absent-id': absentId, with: others } = values;
    const given = { object, mark, text, absentId, with: others };
    const words = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return { provider, leave, cleanOnly, words, ...(url !== undefined && { url }), ...(out !== undefined && { out }) };
  } catch (error) {
    return `${(error as Error).message}\n${usage}`;
  }
}

function usageError(text: string): number {
  process.stderr.write(text);
  return exitCodes.usage;
}
