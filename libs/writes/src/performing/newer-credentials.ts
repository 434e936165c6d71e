import type { ProviderFailure } from '@sluice/connectors';
import { NotFoundError, ProviderError, SluiceError } from '@sluice/errors';
import type { LiveCredentials } from '@sluice/types';

/**
 * Newer credentials than the ones a provider refused; undefined when there is nothing to refresh with. May throw: see
 * `Installations.refreshCredentials`, which stands behind it.
 */
export type RefreshUsed = (used: LiveCredentials, areFresh?: boolean) => Promise<LiveCredentials | undefined>;

/** Credentials to go on with after a 401, or why there are none. */
export type NewerCredentials =
  { readonly ok: true; readonly live: LiveCredentials } | { readonly ok: false; readonly failure: ProviderFailure };

/**
 * Requests newer credentials. A refresh that fails is the call's failure: nothing was written, and only a grant that is gone
 * is a failure of credentials. Undefined: the refusal stands.
 * @param areFresh the used ones came of a refresh just now
 */
export async function newerCredentials(
  refresh: RefreshUsed,
  used: LiveCredentials,
  areFresh = false,
): Promise<NewerCredentials | undefined> {
  try {
    const live = await refresh(used, areFresh);
    return live && { ok: true, live };
  } catch (error) {
    // The connection is gone: so are its credentials.
    if (error instanceof NotFoundError) return undefined;
    if (!(error instanceof SluiceError)) throw error;
    const wait = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs };
    const failureClass = error instanceof ProviderError ? error.class : 'unavailable';
    return { ok: false, failure: { class: failureClass, message: error.detail, scope: 'call', ...wait } };
  }
}
