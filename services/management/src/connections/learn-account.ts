import type { Auth, Connector } from '@sluice/connectors';
import { ProviderError, type FailureClass } from '@sluice/errors';
import { isSameWorkspace } from '@sluice/types';
import type { ManagementContext } from '../context';
import { contradiction } from '../refuse-issues';

/** The account that the provider itself reports; empty when it could not be asked. */
export interface ReportedAccount {
  readonly workspaceRef?: string;
  readonly consumerRef?: string;
}

/** Credentials whose account is asked for. */
export interface AccountQuestion {
  readonly projectId: string;
  readonly connector: Connector;
  readonly auth: Auth;
  readonly traceparent: string;
}

/** The provider said no to these very credentials. Of every other failure nothing follows for them. */
const refusals = ['credentials', 'rejected', 'not-found', 'conflict'] as const satisfies readonly FailureClass[];

type Refusal = ProviderError & { readonly class: (typeof refusals)[number] };

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof ProviderError && refusals.some((one) => one === error.class);
}

/**
 * Asks the provider which account the credentials open.
 * @throws ProviderError when it refuses them; every other failure is an empty answer
 */
export async function learnAccount(context: ManagementContext, question: AccountQuestion): Promise<ReportedAccount> {
  const { projectId, connector, auth, traceparent } = question;
  try {
    return await connector.workspace({ auth, traceparent });
  } catch (error) {
    if (!(error instanceof ProviderError) || isRefusal(error)) throw error;
    const fields = { projectId, provider: connector.provider, class: error.class };
    context.logger.warn(fields, 'connection.account-unknown');
    return {};
  }
}

/** @throws ValidationError 422 when the credentials open another workspace than the given one */
export function refuseOtherWorkspace(given: string | undefined, reported: string | undefined, name: string): void {
  if (given === undefined || reported === undefined || isSameWorkspace(given, reported)) return;
  throw contradiction({
    code: 'connection.scheme-mismatch',
    name,
    detail: `does not fit the credentials, which open the workspace ${reported}`,
    value: given,
  });
}
