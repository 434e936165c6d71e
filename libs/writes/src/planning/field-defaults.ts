import type { InstallationContext, JsonValue, WriteType } from '@sluice/types';

interface DefaultField {
  readonly name: string;
  readonly value: JsonValue;
  readonly reason: string;
}

/**
 * Fields that the config fills in because the request does not carry them. A present null is a value, not a gap.
 * `selectedFieldSettings` beats the deprecated `selectedValueDefaults`. Source: specification, Config Content.
 */
export function defaultsOf(
  context: InstallationContext,
  objectName: string,
  type: WriteType,
  present: ReadonlySet<string>,
): DefaultField[] {
  const config = context.config.write?.objects?.[objectName];
  if (config === undefined || type === 'delete') return [];
  const settings = Object.entries(config.selectedFieldSettings ?? {}).flatMap(([name, setting]): DefaultField[] => {
    const value = setting.default?.stringValue ?? setting.default?.integerValue ?? setting.default?.booleanValue;
    return value === undefined ? [] : [{ name, value, reason: 'default of selectedFieldSettings' }];
  });
  const taken = new Set([...present, ...Object.keys(config.selectedFieldSettings ?? {})]);
  const deprecated = Object.entries(config.selectedValueDefaults ?? {}).flatMap(([name, setting]): DefaultField[] => {
    if (taken.has(name) || (type === 'update' && setting.applyOnUpdate === 'never')) return [];
    return [{ name, value: setting.value, reason: 'default of selectedValueDefaults' }];
  });
  return [...settings.filter(({ name }) => !present.has(name)), ...deprecated];
}
