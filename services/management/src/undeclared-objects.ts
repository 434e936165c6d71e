import type { Installation, Integration } from '@sluice/types';

/** Names that one header lists. Ours: a header of a few hundred bytes passes every proxy. */
const shownMax = 5;

/**
 * Reply headers that say which configured objects have no effect, because the manifest does not declare them. They are
 * kept: the manifest may gain them, and published clients hold on to those that it lost.
 */
export function undeclaredWarning(
  { latestRevision: { content: manifest } }: Integration,
  { config: { content } }: Installation,
): Record<string, string> {
  const undeclared = (['read', 'write'] as const).flatMap((action) => {
    const declared = new Set((manifest[action]?.objects ?? []).map(({ objectName }) => objectName));
    const names = Object.keys(content[action]?.objects ?? {}).filter((name) => !declared.has(name));
    return names.map((name) => `${action}.objects.${name}`);
  });
  if (undeclared.length === 0) return {};
  const more = undeclared.length > shownMax ? ` and ${undeclared.length - shownMax} more` : '';
  const list = undeclared.slice(0, shownMax).map(visible).join(', ');
  return { 'Sluice-Warning': `the manifest does not declare ${list}${more}: no effect until it does` };
}

/** A header takes visible ASCII only. */
function visible(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?').slice(0, 64);
}
