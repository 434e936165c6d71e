import * as types from '@sluice/types';
import type { JsonSchema } from '@sluice/types';

/** Shared schemas by identity: `connectionSchema` of the types lib is the component `Connection`. */
const names = new Map<object, string>(
  Object.entries(types).flatMap(([name, value]): [object, string][] =>
    name.endsWith('Schema') && typeof value === 'object' ? [[value, componentName(name)]] : [],
  ),
);

const describing = ['properties', 'additionalProperties', 'anyOf', 'oneOf'];

/** The components of one document: what its schemas share is written once, and referred to. */
export class Components {
  private readonly used = new Map<string, unknown>();

  /** The schema as it stands in the document. */
  refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.refer(part));
    if (typeof schema !== 'object' || schema === null) return schema;
    const name = names.get(schema);
    if (name === undefined) return this.copy(schema);
    if (!this.used.has(name)) {
      this.used.set(name, undefined);
      this.used.set(name, this.copy(schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** All that was referred to, by name. */
  get schemas(): Record<string, JsonSchema> {
    const sorted = [...this.used].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(sorted) as Record<string, JsonSchema>;
  }

  /**
   * `writeOnly` marks what is never shown unasked. OpenAPI would read it as "never in a reply", which is not so for a
   * connection whose credentials are asked for; `format: password` says what is meant: hide it on a screen.
   */
  private copy(schema: object): object {
    const members = Object.entries(schema).map(([key, value]): [string, unknown] => [key, this.refer(value)]);
    const copied: Record<string, unknown> = Object.fromEntries(members);
    // Generators make a type without members of an object that names none and does not say that it may have any.
    if (copied['type'] === 'object' && !describing.some((keyword) => keyword in copied)) {
      return { ...copied, additionalProperties: true };
    }
    if (copied['writeOnly'] !== true || copied['type'] !== 'string') return copied;
    const { writeOnly: _writeOnly, ...rest } = copied;
    return { ...rest, format: 'password' };
  }
}

function componentName(exported: string): string {
  const name = exported.slice(0, -'Schema'.length);
  return name.charAt(0).toUpperCase() + name.slice(1);
}
