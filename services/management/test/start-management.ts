import { randomBytes } from 'node:crypto';
import { createStore, openDatabase } from '@sluice/store';
import { silentLogger } from '@sluice/telemetry';
import { cloneDatabase, countRows, keepsContract, patientLimits } from '@sluice/testkit';
import supertest from 'supertest';
import { createContext, createManagementService, managementEnv, type ManagementContext } from '../src/service';
import { startHubspot, startSalesforce, type HubspotOfTest, type SalesforceOfTest } from './fake-providers';

export const adminKey = 'bootstrap-key-of-the-tests';

/** A management service on a database of its own, beside a fake HubSpot and a fake Salesforce. */
export interface RunningManagement {
  /** Its address, without `/v1`. */
  readonly url: string;
  readonly context: ManagementContext;
  /** Its database, also where `reach` puts something between that and the service. */
  readonly database: ReturnType<typeof openDatabase>;
  readonly hubspot: HubspotOfTest;
  readonly salesforce: SalesforceOfTest;
  /** Sends with this key; without one, with none. */
  as(key?: string): Sender;
  /** A new project and a key with these scopes. */
  newProject(scopes?: readonly string[]): Promise<ProjectWithKey>;
  newKey(projectId: string, scopes: readonly string[]): Promise<string>;
  countRows(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

export interface ProjectWithKey {
  readonly id: string;
  readonly name: string;
  readonly key: string;
}

export type Sender = Record<'get' | 'post' | 'put' | 'patch' | 'delete', (path: string) => supertest.Test>;

/**
 * @param replace collaborators to put in place of the real ones, given those
 * @param reach puts something between the service and its database
 * @param env settings besides those that every test has
 */
export async function startManagement(
  replace: (context: ManagementContext) => Partial<ManagementContext> = () => ({}),
  reach?: (databaseUrl: string) => Promise<string>,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningManagement> {
  const [clone, hubspot, salesforce] = await Promise.all([cloneDatabase(), startHubspot(), startSalesforce()]);
  const config = managementEnv.read({
    DATABASE_URL: (await reach?.(clone.url)) ?? clone.url,
    SLUICE_PORT: '0',
    SLUICE_METRICS_PORT: '0',
    // The tests' own connections stay idle.
    SLUICE_IDLE_GRACE_MS: '0',
    SLUICE_HOST: '127.0.0.1',
    SLUICE_CREDENTIALS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    SLUICE_ADMIN_KEY: adminKey,
    SLUICE_PUBLIC_URL: 'https://sluice.example',
    HUBSPOT_API_URL: hubspot.url,
    SALESFORCE_LOGIN_URL: salesforce.url,
    SALESFORCE_INSTANCE_URL: salesforce.url,
    ...env,
  });
  // Where a test puts something before its database, that one will be away, and the usual limits are what it is about.
  const { databaseUrl, timeScale } = config;
  const store = () => createStore({ url: databaseUrl, applicationName: 'test', timeScale, limits: patientLimits });
  const real = createContext(config, { logger: silentLogger, ...(!reach && { store: store() }) });
  const context = { ...real, ...replace(real) };
  const database = openDatabase({ url: clone.url, poolMax: 2, applicationName: 'test', limits: patientLimits });
  const service = createManagementService(context);
  const { port } = await service.start();
  const url = `http://127.0.0.1:${port}`;
  const check = keepsContract(service.contract.document);
  const as = (key?: string) => senderOf(url, key, check);
  const newKey = async (projectId: string, scopes: readonly string[]): Promise<string> => {
    const reply = await as(adminKey).post(`/v1/projects/${projectId}/api-keys`).send({ label: 'test', scopes });
    return (reply.body as { key: string }).key;
  };
  let made = 0;
  return {
    url,
    context,
    database,
    hubspot,
    salesforce,
    as,
    newKey,
    newProject: async (scopes = ['full']) => {
      made += 1;
      const body = { name: `project-${made}x`, appName: 'App', orgId: 'org' };
      const project = (await as(adminKey).post('/v1/projects').send(body)).body as { id: string; name: string };
      return { ...project, key: await newKey(project.id, scopes) };
    },
    countRows: () => countRows(clone.url),
    stop: async () => {
      await service.stop();
      await Promise.all([hubspot.close(), salesforce.close(), database.destroy()]);
      await clone.drop();
    },
  };
}

function senderOf(url: string, key: string | undefined, check: ReturnType<typeof keepsContract>): Sender {
  const send = (method: keyof Sender) => (path: string) => {
    const test = supertest(url)[method](path).expect(check);
    return key === undefined ? test : test.set('x-api-key', key);
  };
  return { get: send('get'), post: send('post'), put: send('put'), patch: send('patch'), delete: send('delete') };
}

/** The service of a suite: started before its tests, stopped after them. It takes what `startManagement` takes. */
export function useManagement(...given: Parameters<typeof startManagement>): RunningManagement {
  const running = {} as RunningManagement;
  beforeAll(async () => {
    Object.assign(running, await startManagement(...given));
  });
  afterAll(() => running.stop());
  return running;
}
