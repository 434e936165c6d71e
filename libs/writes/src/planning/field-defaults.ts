import { fieldDefaultValue, type JsonValue, type WriteObjectConfig, type WriteType } from '@sluice/types';

/** A value that the config fills in where the request carries none. */
export interface FieldDefault {
  readonly name: string;
  /** The provider field that the name means. */
  readonly target: string;
  readonly value: JsonValue;
  readonly reason: string;
}

/** How names lead to provider fields. */
export interface FieldTargets {
  /** The provider field that a name means. */
  readonly targetOf: (name: string) => string;
  /** Equal for all spellings of one provider field. */
  readonly keyOf: (field: string) => string;
}

/**
 * The defaults of an object for one write type, at most one per provider field. `selectedFieldSettings` beats the deprecated
 * `selectedValueDefaults` for the same field, also without a default of its own. The record's id is never a default.
 * Source: specification, Config Content; silent points in rulings.
 */
export function defaultsOf(
  config: WriteObjectConfig | undefined,
  type: WriteType,
  { targetOf, keyOf }: FieldTargets,
): readonly FieldDefault[] {
  if (config === undefined || type === 'delete') return [];
  const settings = Object.entries(config.selectedFieldSettings ?? {});
  const chosen = settings.flatMap(([name, { default: given }]): FieldDefault[] => {
    const value = given === undefined ? undefined : fieldDefaultValue(given);
    if (value === undefined) return [];
    return [{ name, target: targetOf(name), value, reason: 'default of selectedFieldSettings' }];
  });
  const ruled = new Set(settings.map(([name]) => keyOf(targetOf(name))));
  const deprecated = Object.entries(config.selectedValueDefaults ?? {}).flatMap(([name, setting]): FieldDefault[] => {
    const target = targetOf(name);
    if (ruled.has(keyOf(target)) || (type === 'update' && setting.applyOnUpdate === 'never')) return [];
    return [{ name, target, value: setting.value, reason: 'default of selectedValueDefaults' }];
  });
  const writable = [...mappedFirst(chosen), ...mappedFirst(deprecated)].filter(({ name, target }) => {
    return type === 'create' || (name !== 'id' && keyOf(target) !== 'id');
  });
  return [...new Map(writable.toReversed().map((each) => [keyOf(each.target), each])).values()].toReversed();
}

/** Where two names lead to one field, the mapped name is the one that requests use. */
function mappedFirst(defaults: readonly FieldDefault[]): FieldDefault[] {
  return defaults.toSorted((a, b) => Number(a.name === a.target) - Number(b.name === b.target));
}
