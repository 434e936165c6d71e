import type { ApiKey } from '@sluice/types';
import { type Column, print, renderTable, shortTime } from '../output/print';
import { connect, type GivenOptions } from '../profiles/connect';

interface CreateOptions extends GivenOptions {
  readonly scope: ApiKey['scopes'];
}

interface RevokeOptions extends GivenOptions {
  readonly delete?: boolean;
}

const columns: readonly Column<ApiKey>[] = [
  ['LABEL', ({ label }) => label],
  ['SCOPES', ({ scopes }) => scopes.join(', ')],
  ['STATE', ({ active }) => (active === false ? 'revoked' : 'active')],
  ['CREATED', ({ createTime }) => shortTime(createTime)],
  ['ID', ({ id }) => id],
];

/** `sluice keys list`. */
export async function list(_args: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const keys = await management.listApiKeys();
  print(options, keys, () => renderTable(keys, columns, 'No keys.'));
}

/** `sluice keys create <label>`. */
export async function create([label = '']: readonly string[], options: CreateOptions): Promise<void> {
  const { management } = await connect(options);
  const created = await management.createApiKey({ body: { label, scopes: options.scope } });
  // What is kept by a script is the key alone; the sentence about it goes beside.
  if (options.json !== true) {
    process.stderr.write(`The key ${created.id} (${created.scopes.join(', ')}). It is shown once; keep it now:\n`);
  }
  print(options, created, () => created.key);
}

/** `sluice keys revoke <id>`. */
export async function revoke([keyId = '']: readonly string[], options: RevokeOptions): Promise<void> {
  const { management } = await connect(options);
  if (options.delete === true) {
    await management.deleteApiKey({ keyId });
    print(options, { id: keyId, deleted: true }, () => `The key ${keyId} is deleted.`);
    return;
  }
  const revoked = await management.updateApiKey({ keyId, body: { updateMask: ['active'], apiKey: { active: false } } });
  print(options, revoked, () => `The key ${keyId} (${revoked.label}) is refused from now on.`);
}
