import type { ProviderCall } from '../requests';
import type { ProviderFailure } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { paths } from './paths';
import { toSoql, type Selection } from './soql';
import { readPage, type WirePage } from './wire';

/** Bytes of a URI that Salesforce takes, without some for the origin. Source: reference B4. */
export const pathBytesMax = 16_384 - 300;

/** Of the request, in bytes: percent-encoding leaves only ASCII. */
export function pathBytes(selection: Selection): number {
  return paths.query(toSoql(selection)).length;
}

/** One page of a query, or why not. */
export type Queried =
  { readonly ok: true; readonly page: WirePage } | { readonly ok: false; readonly failure: ProviderFailure };

/** `GET /query?q=`. Reads what is committed, without lag. Never throws. Source: reference B4. */
export async function query(api: SalesforceApi, selection: Selection, call: ProviderCall): Promise<Queried> {
  const path = paths.query(toSoql(selection));
  if (path.length > pathBytesMax) {
    const message = `the query is ${path.length} bytes long as a URL, and Salesforce takes ${pathBytesMax}: use fewer or shorter filters`;
    return { ok: false, failure: { class: 'rejected', scope: 'record', message } };
  }
  const answer = await api.call({ operation: 'search', method: 'GET', path }, call);
  if (!answer.ok) return answer;
  const page = readPage(answer.body);
  if (page) return { ok: true, page };
  const message = 'Salesforce answered a query without records';
  return { ok: false, failure: { class: 'unavailable', scope: 'call', message } };
}
