import type { Credentials } from '@sluice/types';
import { sealValue, unsealValue, type Sealed, type SealingKeys } from './sealed-value';

/** Seals credentials for one connection. */
export function sealCredentials(keys: SealingKeys, connectionId: string, credentials: Credentials): Sealed {
  return sealValue(keys, { noun: 'connection', id: connectionId }, credentials);
}

/** @throws DefectError when the key is not in the ring, or the text was altered or belongs to another connection */
export function unsealCredentials(keys: SealingKeys, connectionId: string, text: string): Credentials {
  return unsealValue(keys, { noun: 'connection', id: connectionId }, text) as Credentials;
}

/** Seals the client secret of one provider app. */
export function sealClientSecret(keys: SealingKeys, appId: string, secret: string): Sealed {
  return sealValue(keys, { noun: 'provider app', id: appId }, secret);
}

/** @throws DefectError when the key is not in the ring, or the text was altered or belongs to another app */
export function unsealClientSecret(keys: SealingKeys, appId: string, text: string): string {
  return unsealValue(keys, { noun: 'provider app', id: appId }, text) as string;
}

/** Seals the PKCE verifier of one authorization that was begun. @param stateHash names it */
export function sealVerifier(keys: SealingKeys, stateHash: string, verifier: string): Sealed {
  return sealValue(keys, { noun: 'authorization', id: stateHash }, verifier);
}

/** @throws DefectError when the key is not in the ring, or the text was altered or belongs to another authorization */
export function unsealVerifier(keys: SealingKeys, stateHash: string, text: string): string {
  return unsealValue(keys, { noun: 'authorization', id: stateHash }, text) as string;
}

/** What the messages of a webhook endpoint are signed with. */
export interface WebhookSecrets {
  readonly current: string;
  /** Before the last rotation; who uses it asks the database whether it signs still. */
  readonly previous?: string;
}

/** Seals the secrets of one webhook endpoint. */
export function sealWebhookSecrets(keys: SealingKeys, endpointId: string, secrets: WebhookSecrets): Sealed {
  return sealValue(keys, { noun: 'webhook endpoint', id: endpointId }, secrets);
}

/** @throws DefectError when the key is not in the ring, or the text was altered or belongs to another endpoint */
export function unsealWebhookSecrets(keys: SealingKeys, endpointId: string, text: string): WebhookSecrets {
  return unsealValue(keys, { noun: 'webhook endpoint', id: endpointId }, text) as WebhookSecrets;
}
