import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defineEnv, providersEnv, readProcessEnv } from '@sluice/config';
import { listenForStop, readLocalSettings } from '@sluice/stack';
import { exitCodes, NotCertifiable, runCertification } from './run-certification';
import { certifiable, type SubjectWords } from './subjects';

const usage = `npm run certify -- ${certifiable.join('|')} [--url http://127.0.0.1:4600] [--out file.json] [--keep-ids] [--clean] [--leave]
  Tries in an account what we say of its provider: makes a few marked records, updates, finds and deletes them, proves that
  nothing is left, and compares.
  The access token stands in <PROVIDER>_ACCESS_TOKEN; for Salesforce the My Domain name stands in SALESFORCE_WORKSPACE.
  Exit code: 0 as we say; 1 something differs or is left; 2 it was called wrongly; 3 the token, its rights, a limit or an
  outage stood in the way.
  --url       the account is one of a sandbox on this machine
  --out       where the recorded exchanges go, scrubbed; default <data>/certify/<run>.recording.json
  --keep-ids  the recording keeps the ids of records
  --clean     only removes what earlier runs left, also where nobody noted it
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
  'keep-ids': { type: 'boolean', default: false },
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
  if (!asked) return misused(usage);
  const env = readProcessEnv();
  const folder = join(readLocalSettings(env).dataDir, 'certify');
  const onStep = process.stdout.isTTY ? (step: string) => say(`  ${step}`) : () => undefined;
  try {
    const { providersDir } = environment.read(env);
    return await runCertification({ ...asked, providersDir, env, folder, signal: listenForStop(), say, onStep });
  } catch (error) {
    if (error instanceof NotCertifiable) return misused(`${error.message}\n`);
    throw error;
  }
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [provider, ...more] = positionals;
    if (provider === undefined || more.length > 0) return undefined;
    const { url, out, leave, clean: cleanOnly, 'keep-ids': keepIds } = values;
    const { object, mark, text, 'absent-id': absentId, with: others } = values;
    const words: SubjectWords = {
      ...(object !== undefined && { object }),
      ...(mark !== undefined && { mark }),
      ...(text !== undefined && { text }),
      ...(absentId !== undefined && { absentId }),
      ...(others !== undefined && { with: others }),
    };
    return {
      provider,
      leave,
      cleanOnly,
      keepIds,
      words,
      ...(url !== undefined && { url }),
      ...(out !== undefined && { out }),
    };
  } catch {
    return undefined;
  }
}

function misused(text: string): number {
  process.stderr.write(text);
  return exitCodes.misused;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
