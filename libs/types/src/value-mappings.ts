import type { ReadObjectConfig } from './read-config';
import type { JsonValue } from './write-plan';

type Config = Pick<ReadObjectConfig, 'selectedValueMappings'> | undefined;

/** The provider's value for one that the builder knows. Source: specification, selectedValueMappings. */
export function toProviderValue<Value>(config: Config, field: string, value: Value): Value | string {
  const values = valuesOf(config, field);
  return typeof value === 'string' && Object.hasOwn(values, value) ? (values[value] ?? value) : value;
}

/** The value that the builder knows for one of the provider's. The first wins where two lead to the same. */
export function toDeliveredValue(config: Config, field: string, value: JsonValue): JsonValue {
  const found = Object.entries(valuesOf(config, field)).find(([, providerValue]) => providerValue === value);
  return found === undefined ? value : found[0];
}

function valuesOf(config: Config, field: string): Readonly<Record<string, string>> {
  const mappings = config?.selectedValueMappings ?? {};
  return Object.hasOwn(mappings, field) ? (mappings[field] ?? {}) : {};
}
