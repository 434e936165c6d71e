import { ProviderError } from '@sluice/errors';
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
