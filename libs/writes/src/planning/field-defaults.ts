import { fieldDefaultValue, type InstallationContext, type JsonValue, type WriteType } from '@sluice/types';

interface DefaultField {
  readonly name: string;
  readonly value: JsonValue;
  readonly reason: string;
}

/**
 * Fields that the config fills in because the request does not carry them. A present null is a value, not a gap.
 * `selectedFieldSettings` beats the deprecated `selectedValueDefaults`. Source: specification, Config Content.
 * @param isPresent whether the request carries the field of this name, under whichever of its names
 */
export function defaultsOf(
  context: InstallationContext,
  objectName: string,
  type: WriteType,
  isPresent: (name: string) => boolean,
): DefaultField[] {
  const config = context.config.write?.objects?.[objectName];
  if (config === undefined || type === 'delete') return [];
  const settings = config.selectedFieldSettings ?? {};
  const chosen = Object.entries(settings).flatMap(([name, setting]): DefaultField[] => {
    const value = setting.default === undefined ? undefined : fieldDefaultValue(setting.default);
    return value === undefined ? [] : [{ name, value, reason: 'default of selectedFieldSettings' }];
  });
  const deprecated = Object.entries(config.selectedValueDefaults ?? {}).flatMap(([name, setting]): DefaultField[] => {
    if (Object.hasOwn(settings, name) || (type === 'update' && setting.applyOnUpdate === 'never')) return [];
    return [{ name, value: setting.value, reason: 'default of selectedValueDefaults' }];
  });
  return [...chosen, ...deprecated].filter(({ name }) => !isPresent(name));
}
