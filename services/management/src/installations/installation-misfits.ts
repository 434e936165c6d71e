import type { ConnectorRegistry } from '@sluice/connectors';
import type { Issue } from '@sluice/errors';
import {
  limits,
  pathOf,
  type ConfigContent,
  type Connection,
  type Integration,
  type UpdateConfigContent,
} from '@sluice/types';
import type { ManagementContext } from '../context';

const issue = (name: string, detail: string, value: string): Issue => ({ in: 'body', name, detail, value });

/** Why a connection cannot carry an installation of this group and integration. */
export function connectionMisfits(
  connection: Connection,
  installation: { readonly groupRef: string; readonly integration: Integration },
  name: string,
): Issue[] {
  const { groupRef, integration } = installation;
  const issues: Issue[] = [];
  if (connection.group.groupRef !== groupRef) {
    const detail = `belongs to the group ${connection.group.groupRef}, not to ${groupRef}`;
    issues.push(issue(name, detail, connection.id));
  }
  if (connection.provider !== integration.provider) {
    const detail = `leads to ${connection.provider}, and the integration is for ${integration.provider}`;
    issues.push(issue(name, detail, connection.id));
  }
  return issues;
}

/** What of a content contradicts the integration's provider: its name, or what it cannot do. */
export function contentMisfits(
  { connectors }: ManagementContext,
  integration: Integration,
  content: UpdateConfigContent,
  path: string,
): Issue[] {
  const { provider } = integration;
  const issues: Issue[] = [];
  if (content.provider !== undefined && content.provider !== provider) {
    issues.push(issue(`${path}.provider`, `must be ${provider}, the provider of the integration`, content.provider));
  }
  if (connectors.find(provider)?.capabilities.ifEmpty !== false) return issues;
  const detail = withoutIfEmpty(provider, connectors);
  return [...issues, ...ifEmptySettings(content, path).map((name) => issue(name, detail, 'ifEmpty'))];
}

/** A body is bounded; what many of them add up to is bounded here. */
export function sizeMisfits(content: ConfigContent, name: string): Issue[] {
  const characters = JSON.stringify(content).length;
  const max = limits.configCharactersMax;
  return characters <= max
    ? []
    : [{ in: 'body', name, detail: `makes a config of ${characters} characters; at most ${max} are kept` }];
}

/** A revision may be named, as the specification shows; the latest one is stored. */
export async function revisionMisfits(
  { store }: ManagementContext,
  integration: Integration,
  revisionId: string | undefined,
  name: string,
): Promise<Issue[]> {
  if (revisionId === undefined) return [];
  const revision = await store.integrations.findRevision(integration.projectId, revisionId);
  return revision?.integrationId === integration.id
    ? []
    : [issue(name, 'must be a revision of this integration', revisionId)];
}

/** Source: specification, writeOnUpdate: "supported for provider X and provider Y only". */
function withoutIfEmpty(provider: string, connectors: ConnectorRegistry): string {
  const able = connectors.all().filter(({ capabilities }) => capabilities.ifEmpty);
  const who = able.map((connector) => connector.provider).join(', ') || 'none';
  return `is not possible on ${provider}, whose records cannot be read before an update; possible on: ${who}`;
}

/** Paths of the settings that say `ifEmpty`. */
function ifEmptySettings(content: UpdateConfigContent, path: string): string[] {
  return Object.entries(content.write?.objects ?? {}).flatMap(([objectName, { selectedFieldSettings = {} }]) =>
    Object.entries(selectedFieldSettings)
      .filter(([, { writeOnUpdate }]) => writeOnUpdate === 'ifEmpty')
      .map(([field]) =>
        [objectName, 'selectedFieldSettings', field, 'writeOnUpdate'].reduce(pathOf, `${path}.write.objects`),
      ),
  );
}
