import type { ProviderFailure } from '../results';
import type { Declaration, DeclaredObject } from './declaration';
import { wordsOf } from './known-names';

/** An object that the file describes. */
export interface FoundObject {
  readonly name: string;
  readonly object: DeclaredObject;
  /** What stands for names in its requests. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The object of a call; a failure names those there are. Names are compared as they are spelled. */
export function findObject({ objects, displayName }: Declaration, name: string): FoundObject | ProviderFailure {
  const key = name !== '*' && Object.hasOwn(objects, name) ? name : '*';
  const object = Object.hasOwn(objects, key) && name !== '*' ? objects[key] : undefined;
  if (object !== undefined) return { name, object, texts: wordsOf(name, object) };
  const known = Object.keys(objects).join(', ');
  const message = `${displayName} has no object '${name.slice(0, 80)}' here; known are ${known}`;
  return { class: 'rejected', scope: 'call', message };
}
