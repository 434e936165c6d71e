import type {
  ApiKey,
  Connection,
  CreateApiKeyRequest,
  CreateInstallationRequest,
  CreateProjectRequest,
  GenerateConnectionRequest,
  Installation,
  Integration,
  Operation,
  OperationRecord,
  OperationRecordListReply,
  PatchConfigContentRequest,
  Project,
} from '@sluice/types';
import { bodyOf, requestJson, type JsonRequest, type Reply } from './request-json';

/** The part of the management API that the launcher uses, as any other caller would. Every call throws for a refusal. */
export interface ManagementClient {
  listProjects(): Promise<Project[]>;
  createProject(request: CreateProjectRequest): Promise<Project>;
  createApiKey(projectId: string, request: CreateApiKeyRequest): Promise<ApiKey>;
  /** Deploys the text of a manifest. */
  deployManifest(projectId: string, sourceYaml: string): Promise<Integration[]>;
  listConnections(projectId: string, groupRef: string): Promise<Connection[]>;
  generateConnection(projectId: string, request: GenerateConnectionRequest): Promise<Connection>;
  listInstallations(projectId: string, integrationId: string, groupRef: string): Promise<Installation[]>;
  createInstallation(
    projectId: string,
    integrationId: string,
    request: CreateInstallationRequest,
  ): Promise<Installation>;
  /** JSON Patch on what an installation's config says of one object. */
  patchObjectConfig(
    projectId: string,
    object: { readonly integrationId: string; readonly objectName: string },
    request: PatchConfigContentRequest,
  ): Promise<Installation>;
  getOperation(projectId: string, operationId: string): Promise<Operation>;
  listRecords(projectId: string, operationId: string): Promise<readonly OperationRecord[]>;
  /** Whether the key opens this project. */
  opensProject(projectId: string): Promise<boolean>;
}

/** @param baseUrl with its `/v1` */
export function createManagementClient(baseUrl: string, apiKey: string, signal?: AbortSignal): ManagementClient {
  const send = <T>(method: JsonRequest['method'], path: string, body?: unknown): Promise<Reply<T>> =>
    requestJson<T>({ method, url: `${baseUrl}${path}`, headers: { 'x-api-key': apiKey }, body, signal });
  const get = async <T>(path: string): Promise<T> => bodyOf(await send<T>('GET', path), 200, `GET ${path}`);
  const post = async <T>(path: string, body: unknown): Promise<T> =>
    bodyOf(await send<T>('POST', path, body), 201, `POST ${path}`);
  const project = (id: string) => `/projects/${id}`;
  const installations = (id: string, integrationId: string) =>
    `${project(id)}/integrations/${integrationId}/installations`;
  const ofGroup = (groupRef: string) => `?groupRef=${encodeURIComponent(groupRef)}`;
  return {
    listProjects: () => get('/projects'),
    createProject: (request) => post('/projects', request),
    createApiKey: (id, request) => post(`${project(id)}/api-keys`, request),
    deployManifest: async (id, sourceYaml) => {
      const path = `${project(id)}/integrations:batch`;
      return bodyOf(await send<Integration[]>('PUT', path, { sourceYaml }), 200, `PUT ${path}`);
    },
    listConnections: (id, groupRef) => get(`${project(id)}/connections${ofGroup(groupRef)}`),
    generateConnection: (id, request) => post(`${project(id)}/connections:generate`, request),
    listInstallations: (id, integrationId, groupRef) => get(`${installations(id, integrationId)}${ofGroup(groupRef)}`),
    createInstallation: (id, integrationId, request) => post(installations(id, integrationId), request),
    patchObjectConfig: async (id, { integrationId, objectName }, request) => {
      const path = `${project(id)}/integrations/${integrationId}/objects/${objectName}/config-content`;
      return bodyOf(await send<Installation>('PATCH', path, request), 200, `PATCH ${path}`);
    },
    getOperation: (id, operationId) => get(`${project(id)}/operations/${operationId}`),
    listRecords: async (id, operationId) => {
      const { results } = await get<OperationRecordListReply>(`${project(id)}/operations/${operationId}/records`);
      return results;
    },
    opensProject: async (id) => (await send('GET', project(id))).status === 200,
  };
}
