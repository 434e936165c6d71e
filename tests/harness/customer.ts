import type {
  ConfigContent,
  Connection,
  Installation,
  ManifestReadObject,
  ManifestWriteObject,
  Operation,
  OperationRecord,
  RecordProblem,
  SearchReply,
  SearchRequest,
  WriteRequest,
  WriteResult,
} from '@sluice/types';
import { createAccount, type Account, type AccountOptions, type ProviderName } from './account';
import type { Addresses } from './addresses';
import { replyOf, type Reply } from './api';
import { createProject, integrationNamed, type Project } from './project';

/** A customer whose CRM is connected and who has installed an integration: what a builder's backend works with. */
export interface Customer {
  readonly project: Project;
  readonly account: Account;
  readonly groupRef: string;
  readonly integrationId: string;
  readonly installationId: string;
  readonly connectionId: string;
  /** `POST {write_url}/…/objects/{object}`; the groupRef is filled in. */
  write<T = WriteReply>(object: string, body: object, headers?: Record<string, string>): Promise<Reply<T>>;
  /** `POST {search_url}/…?groupRef=` with these filters: field name to value. */
  search(objectName: string, filters?: Readonly<Record<string, unknown>>): Promise<Reply<SearchReply>>;
  operation(id: string): Promise<Operation>;
  /** Waits until the operation is final. */
  ended(id: string, boundMs?: number): Promise<Operation>;
  recordsOf(operationId: string): Promise<readonly OperationRecord[]>;
  installation(): Promise<Installation>;
  connection(): Promise<Connection>;
}

/** The members of write replies that tests read; which of them are present depends on the mode. */
export interface WriteReply {
  readonly operationId: string;
  readonly result: { readonly success: boolean; readonly recordId: string; readonly data: Record<string, unknown> };
  readonly results: readonly Pick<WriteResult, 'success' | 'recordId' | 'problems'>[];
  readonly problems: readonly RecordProblem[];
  readonly successCount: number;
  readonly failureCount: number;
  readonly code: string;
  readonly detail: string;
  readonly issues: readonly { readonly name: string; readonly detail: string }[];
  readonly errors: readonly { readonly message: string }[];
}

export interface CustomerOptions {
  readonly provider: ProviderName;
  /** Objects of the manifest, or their names. */
  readonly read?: readonly (
    string | (Pick<ManifestReadObject, 'objectName' | 'mapToName' | 'requiredFields'> & { readonly enabled?: string })
  )[];
  readonly write?: readonly (string | ManifestWriteObject)[];
  /** Config content besides the provider. */
  readonly config?: Omit<ConfigContent, 'provider'>;
  /** @default a new one */
  readonly project?: Project;
  /** @default a new one */
  readonly account?: Account;
  /** Settings of a new account in the sandbox. */
  readonly accountOptions?: AccountOptions;
  /** Credentials in place of the account's access token. */
  readonly credentials?: (account: Account) => object;
  /** Another way to connect the group's account than with credentials. */
  readonly connect?: (project: Project, account: Account, groupRef: string) => Promise<Pick<Connection, 'id'>>;
}

const named = <T>(objects: readonly (string | T)[] = []) => ({
  objects: objects.map((object) => (typeof object === 'string' ? { objectName: object } : object)),
});

let made = 0;

/** Everything that must be there before a write or a search, made over HTTP. */
export async function createCustomer(stack: Addresses, options: CustomerOptions): Promise<Customer> {
  const { provider, config = {} } = options;
  const project = options.project ?? (await createProject(stack));
  const account = options.account ?? (await createAccount(stack, provider, options.accountOptions));
  const groupRef = `group-${(made += 1)}`;
  const integration = { name: `crm-${made}`, provider, read: named(options.read), write: named(options.write) };
  const { id: integrationId } = integrationNamed(await project.deploy([integration]), integration);
  const connection = await (options.connect?.(project, account, groupRef) ??
    project.connect(account, groupRef, options.credentials?.(account)));
  const content = { provider, ...config };
  const installed = await project.install(integrationId, {
    groupRef,
    connectionId: connection.id,
    config: { content },
  });
  if (installed.status !== 201) throw new Error(`not installed: ${JSON.stringify(installed.body)}`);
  return connectedCustomer({ project, account, groupRef, integrationId, installation: installed.body });
}

interface Connected extends Pick<Customer, 'project' | 'account' | 'groupRef' | 'integrationId'> {
  readonly installation: Installation;
}

function connectedCustomer({ installation, ...names }: Connected): Customer {
  const { project, groupRef, integrationId } = names;
  const { client } = project;
  const connectionId = installation.connection.id;
  const operation = (operationId: string) => client.management.getOperation({ operationId });
  return {
    ...names,
    installationId: installation.id,
    connectionId,
    // What a test sends may be no valid request: the service says so.
    write: async (objectName, more, headers = {}) => {
      const body = { groupRef, ...more } as WriteRequest;
      return replyOf(await client.raw.write.writeRecords({ integrationId, objectName, body }, { headers }));
    },
    search: async (objectName, filters = {}) => {
      const fieldFilters = Object.entries(filters).map(([fieldName, value]) => ({ fieldName, operator: 'eq', value }));
      const body = { objectName, fieldFilters } as SearchRequest;
      const headers = { 'x-sluice-request-type': 'search' };
      return replyOf(await client.raw.search.searchRecords({ integrationId, groupRef, body }, { headers }));
    },
    operation,
    ended: (id, timeoutMs = 120_000) => client.waitForOperation(id, { timeoutMs }),
    recordsOf: async (operationId) => (await client.management.listOperationRecords({ operationId })).results,
    installation: () => client.management.getInstallation({ integrationId, installationId: installation.id }),
    connection: () => client.management.getConnection({ connectionId }),
  };
}
