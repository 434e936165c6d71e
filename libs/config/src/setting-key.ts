/** The key of a setting in the typed values: camelCase, without the prefix `SLUICE_`. */
export function settingKey(name: string): string {
  return name
    .replace(/^SLUICE_/, '')
    .toLowerCase()
    .replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
