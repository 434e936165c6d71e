import { SluiceError } from '@sluice/errors';
import { secretNouns, type SecretNoun, type SealedSecret, type Store } from '@sluice/store';
import { sealValue, unsealValue, type SealingKeys } from './live-credentials';

/** Secrets that are read at once. */
const secretsPerBatch = 100;

export interface Resealing {
  readonly store: Pick<Store, 'sealedSecrets'>;
  readonly keyring: SealingKeys;
  /** Called after each batch. */
  readonly onProgress?: (progress: ResealProgress) => void;
}

export interface ResealProgress {
  readonly noun: SecretNoun;
  /** Sealed again so far. */
  readonly resealed: number;
  /** Changed by another process meanwhile. It is sealed already, or is counted as left over. */
  readonly overtaken: number;
  /** Cannot be opened: the key is not in the ring, or the text was altered. They stay as they are. */
  readonly unreadable: readonly { readonly projectId: string; readonly id: string; readonly reason: string }[];
  /** Still under another key. 0: that key may leave the ring. */
  readonly left: number;
}

/**
 * Seals every secret that another key sealed again with the current one, while everything runs. Each ciphertext is replaced
 * only if it is still the one that was read, so a refreshed token is never overwritten. Stopped at any moment, it goes on
 * where it was: what is sealed with the current key is not looked at.
 * @returns one summary for each noun
 */
export async function resealSecrets(resealing: Resealing): Promise<ResealProgress[]> {
  const summaries: ResealProgress[] = [];
  for (const noun of secretNouns) summaries.push(await resealAll(resealing, noun));
  return summaries;
}

async function resealAll({ store, keyring, onProgress }: Resealing, noun: SecretNoun): Promise<ResealProgress> {
  const { sealedSecrets } = store;
  const counts = { resealed: 0, overtaken: 0 };
  const unreadable: { projectId: string; id: string; reason: string }[] = [];
  const progress = async () => {
    const left = await sealedSecrets.countOthers(noun, keyring.currentId);
    return { noun, ...counts, unreadable, left };
  };
  for (let after: SealedSecret | undefined; ;) {
    const batch = await sealedSecrets.listOthers(noun, keyring.currentId, secretsPerBatch, after);
    after = batch.at(-1);
    if (after === undefined) return await progress();
    for (const secret of batch) {
      const sealed = sealAgain(keyring, secret);
      if ('reason' in sealed) unreadable.push({ projectId: secret.projectId, id: secret.id, reason: sealed.reason });
      else if (await sealedSecrets.replace(secret, sealed)) counts.resealed += 1;
      else counts.overtaken += 1;
    }
    onProgress?.(await progress());
  }
}

function sealAgain(keyring: SealingKeys, { noun, id, text }: SealedSecret) {
  try {
    return sealValue(keyring, { noun, id }, unsealValue(keyring, { noun, id }, text));
  } catch (error) {
    if (error instanceof SluiceError) return { reason: error.detail };
    throw error;
  }
}
