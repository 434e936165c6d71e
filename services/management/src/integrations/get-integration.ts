import { unservedModule, type Connector } from '@sluice/connectors';
import type { Installation, Integration, ManifestIntegration, ManifestReadObject } from '@sluice/types';
import type { ManagementContext } from '../context';
import { routesOfProject } from '../projects/get-project';
import { found } from '../refusals';

/** Routes under an integration's path: handlers get the integration, which has its project's id. Another project's is 404. */
export function routesOfIntegration(...[router, context, tag, scopes]: Parameters<typeof routesOfProject>) {
  return routesOfProject(router, context, tag, scopes).under('/integrations/:integrationId', {
    find: async ({ params }, { id }) =>
      found(await context.store.integrations.find(id, params.integrationId), 'integration.not-found'),
  });
}

/** Names that one header lists, and its characters. Our choice: a header of a few hundred bytes passes every proxy. */
const shownMax = 5;
const headerCharactersMax = 1_000;

/**
 * Reply headers that say which configured objects have no effect, because the manifest does not declare them. They are
 * kept: the manifest may gain them, and published clients hold on to those that it lost.
 * @param others warnings besides
 */
export function undeclaredWarning(
  { latestRevision: { content: manifest } }: Integration,
  { config: { content } }: Installation,
  others: readonly string[] = [],
): Record<string, string> {
  const names = (['read', 'write'] as const).flatMap((action) => {
    const declared = new Set((manifest[action]?.objects ?? []).map(({ objectName }) => objectName));
    const unknown = Object.keys(content[action]?.objects ?? {}).filter((name) => !declared.has(name));
    return unknown.map((name) => `${action}.objects.${name.slice(0, 64)}`);
  });
  const undeclared = `the manifest does not declare ${shown(names)}: no effect until it does`;
  return warningHeader([...(names.length === 0 ? [] : [undeclared]), ...others]);
}

/**
 * Reply headers that name the parts of a deployed manifest without effect: a module that is not served, objects that the provider lacks, and members
 * that are only stored. Published manifests hold them, and deploy.
 */
export function deployedWarning(
  { connectors }: ManagementContext,
  integrations: readonly ManifestIntegration[],
): Record<string, string> {
  const warnings = integrations.flatMap((content) => {
    const { name, provider, module } = content;
    const connector = connectors.get(provider);
    const unserved = unservedModule(connector, module);
    const stored = storedOnly(content);
    const lacking = lackingObjects(connector, content);
    const { objects = [] } = connector;
    const known = objects.length === 0 ? 'it is only connected' : `it has ${shown(objects)}`;
    return [
      ...(unserved === undefined ? [] : [`${name}: ${unserved}: its writes and searches are refused`]),
      ...(lacking.length === 0 ? [] : [`${name}: ${provider} has no ${shown(lacking)}: refused there; ${known}`]),
      ...(stored.length === 0 ? [] : [`${name}: ${shown(stored)} stored only: nothing executes them`]),
    ];
  });
  return warningHeader(warnings);
}

const readMembers = ['schedule', 'destination', 'backfill', 'delivery'] as const satisfies (keyof ManifestReadObject)[];

/** Objects of the manifest that the provider is known to lack. */
function lackingObjects({ objects }: Connector, integration: ManifestIntegration): string[] {
  return (['write', 'read'] as const).flatMap((action) => {
    const names = integration[action]?.objects?.map(({ objectName }) => objectName) ?? [];
    const lacking = objects === undefined ? [] : names.filter((name) => !objects.includes(name));
    return lacking.map((name) => `${action}.objects.${name.slice(0, 64)}`);
  });
}

function storedOnly({ read, subscribe, watchSchema, proxy }: ManifestIntegration): string[] {
  const ofReads = (read?.objects ?? []).flatMap((object) =>
    readMembers.filter((member) => object[member] !== undefined).map((member) => `${object.objectName}.${member}`),
  );
  return [
    ...ofReads.map((name) => `read.objects.${name}`),
    ...(subscribe === undefined ? [] : ['subscribe']),
    ...(watchSchema === undefined ? [] : ['watchSchema']),
    ...(proxy?.enabled === true ? ['proxy'] : []),
  ];
}

/** A header takes visible ASCII only. */
function warningHeader(warnings: readonly string[]): Record<string, string> {
  const text = warnings.join('; ').replace(/[^\x20-\x7e]/g, '?');
  return warnings.length === 0 ? {} : { 'Sluice-Warning': text.slice(0, headerCharactersMax) };
}

function shown(names: readonly string[]): string {
  const more = names.length > shownMax ? ` and ${names.length - shownMax} more` : '';
  return `${names.slice(0, shownMax).join(', ')}${more}`;
}
