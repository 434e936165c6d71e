import { broken, parsed, type Parsed } from './parsed';

/** Keys that seal secrets. Never prints or serialises its keys. */
export interface Keyring {
  /** Id of the key that seals from now on. */
  readonly currentId: string;
  /** All ids, the current one first. */
  readonly ids: readonly string[];
  /** The 32 bytes of a key; undefined when no key has this id (it was retired too early). */
  key(id: string): Buffer | undefined;
}

/** AES-256. */
const keyBytes = 32;
const entryForm = /^(?<id>[A-Za-z0-9_-]{1,64}):(?<key>[A-Za-z0-9+/_-]+={0,2})$/;

/** Reads `id1:base64,id2:base64` (base64 or base64url). The rule of a failure names positions, never contents. */
export function parseKeyring(text: string): Parsed<Keyring> {
  const keys = new Map<string, Buffer>();
  for (const [index, entry] of text.split(',').entries()) {
    const groups = entryForm.exec(entry.trim())?.groups;
    const key = Buffer.from(groups?.['key'] ?? '', 'base64');
    const id = groups?.['id'];
    if (id === undefined) return broken(`must be id:base64,… ; entry ${index + 1} is not`);
    if (key.length !== keyBytes) return broken(`needs keys of ${keyBytes} bytes; entry ${index + 1} has ${key.length}`);
    if (keys.has(id)) return broken(`names a key id twice, at entry ${index + 1}`);
    keys.set(id, key);
  }
  return parsed(createKeyring(keys));
}

function createKeyring(keys: ReadonlyMap<string, Buffer>): Keyring {
  const ids = Object.freeze([...keys.keys()]);
  return Object.freeze({ currentId: ids[0] ?? '', ids, key: (id: string) => keys.get(id) });
}
