import { createAccountCache } from '../account-cache';
import type { ObjectCall } from '../requests';
import type { ProviderFailure } from '../results';
import { toProviderError } from '../thrown-failure';
import type { SalesforceApi } from './call-salesforce';
import { readDescription, type Description } from './description';
import { isObjectName, paths } from './paths';
import { objectRule } from './save-result';

/** @throws ProviderError; `rejected` names the object */
export type Describe = (call: ObjectCall) => Promise<Description>;

/**
 * `GET /sobjects/{object}/describe`, kept for about a minute per credential and object. Every query needs it, so that
 * one search costs one call and not two. Source: reference B5.
 */
export function createDescriber(api: SalesforceApi): Describe {
  const cache = createAccountCache<Description>();
  return async (call) => {
    const { objectName, auth, traceparent, observe, withhold } = call;
    if (!isObjectName(objectName)) throw rejected(objectRule(objectName));
    // Without the caller's signal: others may wait for the same answer. The call's own timeout bounds it.
    const shared = {
      auth,
      ...(traceparent !== undefined && { traceparent }),
      ...(observe && { observe }),
      ...(withhold && { withhold }),
    };
    return await cache.get(auth, objectName.toLowerCase(), () => load(api, { ...shared, objectName }));
  };
}

async function load(api: SalesforceApi, call: ObjectCall): Promise<Description> {
  const { objectName } = call;
  const answer = await api.call({ operation: 'describe', method: 'GET', path: paths.describe(objectName) }, call);
  if (!answer.ok) {
    const message = `the object '${objectName}' is not there or not visible to this user; ${answer.failure.message}`;
    throw toProviderError(
      answer.failure.status === 404 ? { ...answer.failure, message } : answer.failure,
      'salesforce',
    );
  }
  const description = readDescription(answer.body);
  if (description) return description;
  const message = `Salesforce described the object '${objectName}' without fields`;
  throw toProviderError({ class: 'unavailable', scope: 'call', message }, 'salesforce');
}

/** A refusal of ours, before anything is sent. */
export function rejected(message: string) {
  const failure: ProviderFailure = { class: 'rejected', scope: 'record', message };
  return toProviderError(failure, 'salesforce');
}
