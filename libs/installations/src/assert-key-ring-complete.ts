import { DefectError, SluiceError } from '@sluice/errors';
import { secretNouns, type SealedByKey, type SecretNoun, type Store } from '@sluice/store';
import { unsealValue, type SealingKeys } from './live-credentials';

/** Ciphertexts that are tried of each key: an altered one proves nothing about its key. */
const triedPerKey = 5;

/**
 * Refuses to start with a key ring that is not the one of this database: a key that sealed what is stored is missing, or has the
 * same id and other bytes. Found later it would be a failed write of each customer.
 * @throws DefectError that names each such key with how much it sealed, and never a secret
 */
export async function assertKeyRingComplete(store: Pick<Store, 'sealedSecrets'>, keyring: SealingKeys): Promise<void> {
  const problems: string[] = [];
  for (const noun of secretNouns) {
    const sealed = await store.sealedSecrets.sampleKeys(noun, triedPerKey);
    problems.push(...sealed.flatMap((each) => problemOf(noun, each, keyring) ?? []));
  }
  if (problems.length === 0) return;
  throw new DefectError({
    code: 'service.config-invalid',
    detail: ['SLUICE_CREDENTIALS_KEYS is not the key ring of this database:', ...problems].join('\n  '),
    remedy:
      'Use the ring that this database was written with; an older key stays behind the current one until npm run reseal has left nothing under it. A key that is lost for good: docs/guides/operate.md.',
  });
}

function problemOf(noun: SecretNoun, { keyId, count, samples }: SealedByKey, keyring: SealingKeys): string | undefined {
  const what = count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`;
  if (keyring.key(keyId) === undefined) return `${what} sealed with the key "${keyId}", which the ring lacks.`;
  if (samples.some((sample) => opens(sample, keyring))) return undefined;
  return `${what} sealed with a key "${keyId}" that is not the ring's "${keyId}".`;
}

function opens({ noun, id, text }: SealedByKey['samples'][number], keyring: SealingKeys): boolean {
  try {
    unsealValue(keyring, { noun, id }, text);
    return true;
  } catch (error) {
    if (error instanceof SluiceError) return false;
    throw error;
  }
}
