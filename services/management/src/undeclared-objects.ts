import type { Installation, Integration } from '@sluice/types';

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
  const warnings = [...undeclared(integration, installation), ...others].join('; ');
  return warnings === '' ? {} : { 'Sluice-Warning': visible(warnings).slice(0, headerCharactersMax) };
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
  const more = names.length > shownMax ? ` and ${names.length - shownMax} more` : '';
  return [`the manifest does not declare ${names.slice(0, shownMax).join(', ')}${more}: no effect until it does`];
}

/** A header takes visible ASCII only. */
function visible(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
