import { unservedModule } from '@sluice/connectors';
import type { Installation, Integration, ManifestReadObject } from '@sluice/types';
import type { ManagementContext } from '../context';

/** Names that one header lists. Ours: a header of a few hundred bytes passes every proxy. */
const shownMax = 5;

/** Characters of the header. Ours: a few hundred bytes pass every proxy. */
const headerCharactersMax = 1_000;

/**
 * Reply headers that say which configured objects have no effect, because the manifest does not declare them. They are
 * kept: the manifest may gain them, and published clients hold on to those that it lost.
 * @param others warnings besides
 */
export function undeclaredWarning(
  integration: Integration,
  installation: Installation,
  others: readonly string[] = [],
): Record<string, string> {
  return warningHeader([...undeclared(integration, installation), ...others]);
}

/**
 * Reply headers that say what of a deployed manifest has no effect: a module that is not served, and what is stored only. Published
 * manifests hold both, and deploy.
 */
export function deployedWarning(
  { connectors }: ManagementContext,
  integrations: readonly Integration[],
): Record<string, string> {
  const warnings = integrations.flatMap(({ name, provider, latestRevision: { content } }) => {
    const unserved = unservedModule(connectors.get(provider), content.module);
    const refused = unserved === undefined ? [] : [`${unserved}: its writes and searches are refused`];
    return [...refused, ...storedOnly(content)].map((warning) => `${name}: ${warning}`);
  });
  return warningHeader(warnings);
}

const readMembers = ['schedule', 'destination', 'backfill', 'delivery'] as const satisfies (keyof ManifestReadObject)[];

function storedOnly({ read, subscribe, watchSchema, proxy }: Integration['latestRevision']['content']): string[] {
  const ofReads = (read?.objects ?? []).flatMap((object) =>
    readMembers.filter((member) => object[member] !== undefined).map((member) => `${object.objectName}.${member}`),
  );
  const names = [
    ...ofReads.map((name) => `read.objects.${name}`),
    ...(subscribe === undefined ? [] : ['subscribe']),
    ...(watchSchema === undefined ? [] : ['watchSchema']),
    ...(proxy?.enabled === true ? ['proxy'] : []),
  ];
  return names.length === 0 ? [] : [`${shown(names)} stored only: nothing executes them`];
}

function warningHeader(warnings: readonly string[]): Record<string, string> {
  if (warnings.length === 0) return {};
  return { 'Sluice-Warning': visible(warnings.join('; ')).slice(0, headerCharactersMax) };
}

function shown(names: readonly string[]): string {
  const more = names.length > shownMax ? ` and ${names.length - shownMax} more` : '';
  return `${names.slice(0, shownMax).join(', ')}${more}`;
}

function undeclared(
  { latestRevision: { content: manifest } }: Integration,
  { config: { content } }: Installation,
): string[] {
  const names = (['read', 'write'] as const).flatMap((action) => {
    const declared = new Set((manifest[action]?.objects ?? []).map(({ objectName }) => objectName));
    const unknown = Object.keys(content[action]?.objects ?? {}).filter((name) => !declared.has(name));
    return unknown.map((name) => `${action}.objects.${name.slice(0, 64)}`);
  });
  if (names.length === 0) return [];
  return [`the manifest does not declare ${shown(names)}: no effect until it does`];
}

/** A header takes visible ASCII only. */
function visible(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
