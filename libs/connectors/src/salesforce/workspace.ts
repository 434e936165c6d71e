import type { ProviderCall } from '../requests';
import type { Workspace } from '../results';
import { toProviderError } from '../signals';
import type { SalesforceApi } from './call-salesforce';
import { rejected } from './describe';
import { workspaceRefOf } from './instance';
import { paths } from './paths';
import { isJson, textOf, type Json } from './wire';

/**
 * `GET /services/oauth2/userinfo`: the My Domain that the token opens, from the addresses that Salesforce states. Asked
 * at the given workspace, or at the login when none is given yet. Source: reference B1; design 6, "where a connection points".
 * @throws ProviderError
 */
export async function workspace(api: SalesforceApi, call: ProviderCall): Promise<Workspace> {
  const given = call.auth.workspaceRef;
  const atLogin = given === undefined && !api.isOverridden;
  const answer = await api.call({ operation: 'workspace', method: 'GET', path: paths.userinfo, atLogin }, call);
  if (!answer.ok) throw toProviderError(answer.failure, 'salesforce');
  const body = isJson(answer.body) ? answer.body : {};
  const organizationId = textOf(body['organization_id']);
  if (organizationId === undefined) {
    const message = 'Salesforce answered without an organization_id';
    throw toProviderError({ class: 'unavailable', scope: 'call', message }, 'salesforce');
  }
  // The account that answered at a given host is the account of that host, also when it does not name it.
  const workspaceRef = reportedBy(body) ?? given?.toLowerCase() ?? (api.isOverridden ? organizationId : undefined);
  if (workspaceRef === undefined) {
    throw rejected('Salesforce reports no My Domain; set providerWorkspaceRef to its part before .my.salesforce.com');
  }
  const consumerRef = textOf(body['user_id']);
  return { workspaceRef, ...(consumerRef !== undefined && { consumerRef }) };
}

/** `custom_domain` is the My Domain itself; the others lie on it. They hold `{version}`, which a URL takes. */
function reportedBy(body: Json): string | undefined {
  const urls = isJson(body['urls']) ? body['urls'] : {};
  return ['custom_domain', 'rest', 'profile'].map((name) => workspaceRefOf(textOf(urls[name]))).find(Boolean);
}
