import { until } from '@sluice/testkit';
import type {
  ConfigContent,
  Connection,
  Installation,
  Operation,
  OperationRecord,
  OperationRecordListReply,
  SearchReply,
} from '@sluice/types';
import { createAccount, type Account, type ProviderName } from './account';
import { ask, call, type Reply } from './api';
import { createProject, integrationNamed, type Project } from './project';
import type { Stack } from './stack';

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

/** The members of write replies that tests look at; which are there depends on the mode. */
export interface WriteReply {
  readonly operationId: string;
  readonly result: { readonly success: boolean; readonly recordId: string; readonly data: Record<string, unknown> };
  readonly results: readonly { readonly success: boolean; readonly recordId?: string }[];
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
  readonly read?: readonly (string | { readonly objectName: string })[];
  readonly write?: readonly (string | { readonly objectName: string })[];
  /** Config content besides the provider. */
  readonly config?: Omit<ConfigContent, 'provider'>;
  /** @default a new one */
  readonly project?: Project;
  /** @default a new one */
  readonly account?: Account;
  /** What the sandbox is told of a new account. */
  readonly accountOptions?: object;
  /** Credentials in place of the account's access token. */
  readonly credentials?: (account: Account) => object;
}

const named = (objects: CustomerOptions['read'] = []) => ({
  objects: objects.map((object) => (typeof object === 'string' ? { objectName: object } : object)),
});

let made = 0;

/** Everything that must be there before a write or a search, made over HTTP. */
export async function createCustomer(stack: Stack, options: CustomerOptions): Promise<Customer> {
  const { provider, config = {} } = options;
  const project = options.project ?? (await createProject(stack));
  const account = options.account ?? (await createAccount(stack, provider, options.accountOptions));
  const groupRef = `group-${(made += 1)}`;
  const integration = { name: `crm-${made}`, provider, read: named(options.read), write: named(options.write) };
  const { id: integrationId } = integrationNamed(await project.deploy([integration]), integration);
  const connection = await project.connect(account, groupRef, options.credentials?.(account));
  const content = { provider, ...config };
  const installed = await project.install(integrationId, {
    groupRef,
    connectionId: connection.id,
    config: { content },
  });
  if (installed.status !== 201) throw new Error(`not installed: ${JSON.stringify(installed.body)}`);
  return connectedCustomer(stack, { project, account, groupRef, integrationId, installation: installed.body });
}

interface Connected extends Pick<Customer, 'project' | 'account' | 'groupRef' | 'integrationId'> {
  readonly installation: Installation;
}

function connectedCustomer(stack: Stack, { installation, ...names }: Connected): Customer {
  const { project, groupRef, integrationId } = names;
  const { key } = project;
  const get = <T>(url: string) => call<T>(url, { method: 'GET', key });
  const integrationOf = (url: string) => `${url}/projects/${project.id}/integrations/${integrationId}`;
  const operation = (id: string) => get<Operation>(`${project.url}/operations/${id}`);
  return {
    ...names,
    installationId: installation.id,
    connectionId: installation.connection.id,
    write: (object, body, headers = {}) =>
      ask(`${integrationOf(stack.writeUrl)}/objects/${object}`, { key, headers, body: { groupRef, ...body } }),
    search: (objectName, filters = {}) => {
      const fieldFilters = Object.entries(filters).map(([fieldName, value]) => ({ fieldName, operator: 'eq', value }));
      const url = `${integrationOf(stack.searchUrl)}?groupRef=${groupRef}`;
      return ask(url, { key, headers: { 'x-sluice-request-type': 'search' }, body: { objectName, fieldFilters } });
    },
    operation,
    ended: (id, boundMs = 20_000) => until(`operation ${id} ends`, async () => endedOf(await operation(id)), boundMs),
    recordsOf: async (id) => (await get<OperationRecordListReply>(`${project.url}/operations/${id}/records`)).results,
    installation: () => get(`${integrationOf(stack.baseUrl)}/installations/${installation.id}`),
    connection: () => get(`${project.url}/connections/${installation.connection.id}`),
  };
}

function endedOf(operation: Operation): Operation | undefined {
  return operation.status === 'in_progress' ? undefined : operation;
}
