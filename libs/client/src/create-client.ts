import type { Installation, Operation } from '@sluice/types';
import { createApi, createExchange, createRawApi } from './call-operation';
import { ensureInstallation, type EnsureInstallationOptions } from './ensure-installation';
import { managementOperations, type ManagementOperations } from './generated/management';
import { searchOperations, type SearchOperations } from './generated/search';
import { writeOperations, type WriteOperations } from './generated/write';
import { createIteratingApi, type IteratingApi } from './iterate-pages';
import type { Api, RawApi } from './operation-shape';
import { refuseUnknown, type Sender } from './send-request';
import { waitForOperation, type WaitOptions } from './wait-for-operation';
import type { WriteApi } from './write-api';

export interface ClientOptions {
  /** The three base URLs, each with its `/v1`. Those that are not used may be left out. */
  readonly baseUrl?: string;
  readonly searchUrl?: string;
  readonly writeUrl?: string;
  readonly apiKey?: string;
  /** A bearer token, or who makes one: tokens live ten minutes at most. */
  readonly token?: string | (() => string | Promise<string>);
  /** Stands wherever a call names no project. */
  readonly projectIdOrName?: string;
  /** Longest wait for a reply. @default 45 000: longer than any reply takes */
  readonly timeoutMs?: number;
  /** Repeats of a safe request (a GET, or one with an idempotency key) that may succeed later. @default 2 */
  readonly retries?: number;
  readonly signal?: AbortSignal;
  /** @default the global one */
  readonly fetch?: typeof fetch;
  /** Called with the `Sluice-Warning` of a reply: what was accepted and has a part without effect. @default nothing is called */
  readonly onWarning?: (warning: string) => void;
}

/** The three APIs, a method per operation. */
export interface SluiceClient {
  readonly management: Api<ManagementOperations>;
  readonly search: Api<SearchOperations>;
  readonly write: WriteApi;
  /** The lists that have pages, item by item: `for await (const operation of client.iterate.listOperations(…))`. */
  readonly iterate: IteratingApi<ManagementOperations>;
  /** The same with every reply as it is: nothing is thrown for a refusal, nothing is repeated. */
  readonly raw: {
    readonly management: RawApi<ManagementOperations>;
    readonly search: RawApi<SearchOperations>;
    readonly write: RawApi<WriteOperations>;
  };
  /** The group's installation of the integration: the one that is there, or a new one. Safe to repeat, also at once in several processes. */
  ensureInstallation(options: EnsureInstallationOptions): Promise<Installation>;
  /** The operation when it has ended. @throws SluiceTimeoutError */
  waitForOperation(operationId: string, options?: WaitOptions): Promise<Operation>;
}

const optionNames = [
  'baseUrl',
  'searchUrl',
  'writeUrl',
  'apiKey',
  'token',
  'projectIdOrName',
  'timeoutMs',
  'retries',
  'signal',
  'fetch',
  'onWarning',
] as const satisfies readonly (keyof ClientOptions)[];

const defaultTimeoutMs = 45_000;
const defaultRetries = 2;

/** @throws TypeError for an option that there is not */
export function createSluiceClient(options: ClientOptions): SluiceClient {
  refuseUnknown(options, optionNames, 'createSluiceClient takes no option');
  const senderOf = (name: 'baseUrl' | 'searchUrl' | 'writeUrl') => createSender(options, name);
  const retries = options.retries ?? defaultRetries;
  const exchangeOf = (name: 'baseUrl' | 'searchUrl' | 'writeUrl') => createExchange(senderOf(name), retries);
  const management = createApi<ManagementOperations>(exchangeOf('baseUrl'), managementOperations);
  return {
    management,
    search: createApi<SearchOperations>(exchangeOf('searchUrl'), searchOperations),
    write: createApi<WriteOperations>(exchangeOf('writeUrl'), writeOperations) as WriteApi,
    iterate: createIteratingApi<ManagementOperations>(exchangeOf('baseUrl'), managementOperations),
    raw: {
      management: createRawApi<ManagementOperations>(senderOf('baseUrl'), managementOperations),
      search: createRawApi<SearchOperations>(senderOf('searchUrl'), searchOperations),
      write: createRawApi<WriteOperations>(senderOf('writeUrl'), writeOperations),
    },
    ensureInstallation: (order) => ensureInstallation(management, order),
    waitForOperation: (operationId, wait = {}) => waitForOperation(management, operationId, wait),
  };
}

function createSender(options: ClientOptions, name: 'baseUrl' | 'searchUrl' | 'writeUrl'): Sender {
  return {
    get baseUrl() {
      const url = options[name];
      if (url === undefined) throw new TypeError(`The client has no ${name}.`);
      return url;
    },
    headers: () => credentialsOf(options),
    projectIdOrName: options.projectIdOrName,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    fetch: options.fetch ?? fetch,
    signal: options.signal,
    onWarning: options.onWarning,
  };
}

async function credentialsOf({ apiKey, token }: ClientOptions): Promise<Record<string, string>> {
  if (apiKey !== undefined) return { 'x-api-key': apiKey };
  if (token === undefined) return {};
  return { authorization: `Bearer ${typeof token === 'string' ? token : await token()}` };
}
