import type { WebhookEvent } from '@sluice/types';

/** A message that is not to be believed: `reason` says which rule it breaks. */
export class SluiceWebhookError extends Error {
  override readonly name = 'SluiceWebhookError';
  readonly reason: 'header-missing' | 'too-old' | 'too-new' | 'signature-wrong';
  constructor(reason: SluiceWebhookError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Headers of a request, of `fetch` or of Node's `http`; their names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Of the endpoint: `whsec_…`. Several while the receiver changes from one to the next. */
  readonly secret: string | readonly string[];
  /** How far the message's moment may be from this clock's. @default 300 */
  readonly toleranceSeconds?: number;
  /** @default the clock's */
  readonly now?: Date;
}

/** Source: https://docs.svix.com/receiving/verifying-payloads/how-manual, which advises five minutes. */
const toleranceSecondsDefault = 300;
const prefix = 'whsec_';

/**
 * The event of a message, once its signature is verified.
 * @param payload the body as it came: JSON that was parsed and printed again has another signature
 * @throws SluiceWebhookError for a message that is forged, altered or repeated later; answer 400
 * @throws TypeError for a secret that is none
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  { secret, toleranceSeconds = toleranceSecondsDefault, now = new Date() }: VerifyOptions,
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['svix-id', 'svix-timestamp', 'svix-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  const keys = await Promise.all([secret].flat().map((each) => importKey(each)));
  checkMoment(timestamp, toleranceSeconds, now);
  const text = typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const signature of signaturesOf(signatures)) {
    for (const key of keys) {
      // Takes as long for a wrong signature as for a right one.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(text) as WebhookEvent;
    }
  }
  throw new SluiceWebhookError('signature-wrong', 'No signature of svix-signature is one of this body and secret.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  const value = typeof found === 'object' && found !== null ? found[0] : found;
  if (value) return value;
  throw new SluiceWebhookError('header-missing', `The header ${name} is missing.`);
}

function checkMoment(timestamp: string, toleranceSeconds: number, now: Date): void {
  const ageSeconds = now.getTime() / 1_000 - (/^\d+$/.test(timestamp) ? Number(timestamp) : 0);
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const [reason, word] = ageSeconds > 0 ? (['too-old', 'past'] as const) : (['too-new', 'future'] as const);
  throw new SluiceWebhookError(
    reason,
    `svix-timestamp is "${timestamp}", more than ${toleranceSeconds} s in the ${word}.`,
  );
}

async function importKey(secret: string) {
  const bytes = secret.startsWith(prefix) ? bytesOf(secret.slice(prefix.length)) : undefined;
  if (bytes === undefined || bytes.length === 0) {
    throw new TypeError(`The secret of a webhook endpoint begins with ${prefix}, and base64 follows.`);
  }
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Of `v1,base64 v1,base64`: those of this version, and of them those that are base64. */
function signaturesOf(header: string): Uint8Array<ArrayBuffer>[] {
  return header.split(' ').flatMap((part) => (part.startsWith('v1,') ? (bytesOf(part.slice(3)) ?? []) : []));
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
