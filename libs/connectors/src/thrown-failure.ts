import { ProviderError } from '@sluice/errors';
import { redactText } from '@sluice/telemetry';
import type { ProviderFailure } from './results';

/** For reads, which throw. */
export function toProviderError(failure: ProviderFailure, provider: string): ProviderError {
  const { status, providerRequestId, triesMax, scope } = failure;
  return new ProviderError({
    class: failure.class,
    detail: failure.message,
    ...(failure.retryAfterMs !== undefined && { retryAfterMs: failure.retryAfterMs }),
    meta: {
      provider,
      ...(status !== undefined && { status }),
      ...(providerRequestId !== undefined && { providerRequestId }),
      ...(triesMax !== undefined && { triesMax }),
      ...(scope === 'search' && { scope }),
    },
  });
}

/** A thrown failure of a read, back as data. */
export function toFailure(error: ProviderError): ProviderFailure {
  const { status, providerRequestId, triesMax } = error.meta;
  return {
    class: error.class,
    message: error.detail,
    scope: isOfSearch(error) ? 'search' : error.class === 'quota' ? 'lane' : 'call',
    ...(typeof status === 'number' && { status }),
    ...(typeof providerRequestId === 'string' && { providerRequestId }),
    ...(typeof triesMax === 'number' && { triesMax }),
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
  };
}

/** The provider refuses the searches of the account for now, and nothing else of it. */
export function isOfSearch({ meta }: ProviderError): boolean {
  return meta['scope'] === 'search';
}

/** Most bytes of a provider's text that we keep. Source: reliability checklist, item 23. */
const bytesMax = 2_048;

/** C0 and C1 control characters, and the separators that break a log line or a terminal. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
/** A HubSpot private-app or service key. */
const privateKey = /\bpat-[a-z]{2}\d-[0-9a-f-]{8,}/gi;

/** A provider's text, fit to be stored and shown: secrets masked first, then control characters, then the length. */
export function cleanText(text: string, ...secrets: readonly string[]): string {
  const masked = secrets.reduce(
    (rest, secret) => (secret.length < 8 ? rest : rest.replaceAll(secret, '[secret]')),
    text,
  );
  const plain = redactText(masked.replace(privateKey, '[secret]')).replace(unprintable, ' ').trim().toWellFormed();
  const bytes = Buffer.from(plain);
  if (bytes.length <= bytesMax) return plain;
  // The ellipsis takes three bytes; a character cut in two decodes to U+FFFD.
  return `${bytes
    .subarray(0, bytesMax - 3)
    .toString()
    .replace(/\ufffd{1,3}$/, '')}…`;
}
