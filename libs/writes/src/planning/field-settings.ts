import type { FieldMappings, FieldSettings } from '@sluice/types';

/** The setting of a field, by the name that requests use. */
export type SettingOf = (name: string) => FieldSettings | undefined;

/**
 * Settings stand under the name that requests use. A mapped name is the builder's own and finds its setting exactly; any other
 * name is the provider's and finds it under every spelling, of two in the config the first.
 * @param keyOf a provider's name in the form in which all its spellings are equal
 */
export function settingsBy(
  settings: Readonly<Record<string, FieldSettings>> | undefined,
  mappings: FieldMappings | undefined,
  keyOf: (name: string) => string,
): SettingOf {
  const ofMapped = new Map<string, FieldSettings>();
  const ofProvider = new Map<string, FieldSettings>();
  // A name that is mapped to itself under another spelling is the provider's as well.
  const isOwn = (name: string): boolean =>
    mappings?.has(name) === true && keyOf(mappings.get(name) ?? '') !== keyOf(name);
  for (const [name, setting] of Object.entries(settings ?? {})) {
    if (isOwn(name)) ofMapped.set(name, setting);
    else if (!ofProvider.has(keyOf(name))) ofProvider.set(keyOf(name), setting);
  }
  return (name) => (isOwn(name) ? ofMapped.get(name) : ofProvider.get(keyOf(name)));
}
