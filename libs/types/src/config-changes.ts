/** One thing that two configs of an installation have differently, in a reader's words. */
export interface ConfigChange {
  /** The object, and the field where there is one: `contacts.phone`. */
  readonly subject: string;
  /** What of it: `default`, `mapping`, `written on update`. */
  readonly what: string;
  /** A text as it is, anything else as JSON. Absent: there was nothing. */
  readonly before?: string;
  /** Absent: there is nothing any more. */
  readonly after?: string;
}

/**
 * What turns one content into another, a change for each value. Both are contents of configs; the order of members is no difference, and neither is a
 * map without a member. That an object has an entry at all is a change only where nothing else of the entry is.
 */
export function describeConfigChanges(before: object, after: object): ConfigChange[] {
  const [from, to] = [valuesOf(before), valuesOf(after)];
  const changes: ConfigChange[] = [];
  const entries: { readonly entry: string; readonly change: ConfigChange }[] = [];
  const changed = new Set<string>();
  for (const key of new Set([...from.keys(), ...to.keys()])) {
    const [old, now] = [from.get(key), to.get(key)];
    if (old?.text === now?.text) continue;
    const { subject, what, entry, isEntry } = (now ?? old) as NamedValue;
    const change = {
      subject,
      what,
      ...(old === undefined ? {} : { before: old.text }),
      ...(now === undefined ? {} : { after: now.text }),
    };
    changes.push(change);
    if (isEntry) entries.push({ entry, change });
    else changed.add(entry);
  }
  const noise = new Set(entries.flatMap(({ entry, change }) => (changed.has(entry) ? [change] : [])));
  return changes.filter((change) => !noise.has(change));
}

interface NamedValue {
  readonly subject: string;
  readonly what: string;
  readonly text: string;
  /** The object's entry that has it: `read objects contacts`. */
  readonly entry: string;
  /** It says no more than that there is such an entry. */
  readonly isEntry: boolean;
}

/** Every value that has no members, by what it is called: a default is one value, whichever member carries it. */
function valuesOf(content: object): ReadonlyMap<string, NamedValue> {
  const values = new Map<string, NamedValue>();
  const walk = (value: unknown, path: readonly string[]): void => {
    const members = isMap(value) ? Object.entries(value as object) : [];
    for (const [name, member] of members) walk(member, [...path, name]);
    if (members.length > 0 || (isMap(value) && path.length === memberDepth)) return;
    const [, , , member] = path;
    const isEntry = path.length <= memberDepth && (member === undefined || member === 'objectName');
    const named = { ...nameOf(path), text: textOf(value), entry: path.slice(0, memberDepth - 1).join(' '), isEntry };
    values.set(JSON.stringify([named.subject, named.what]), named);
  };
  walk(content, []);
  return values;
}

/** `read`, `objects`, `contacts`, `selectedFields`. */
const memberDepth = 4;

const isMap = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members whose names are fields, by action, and what their values are called. */
const fieldMembers: Readonly<Record<string, string>> = {
  'read selectedFieldMappings': 'mapping',
  'read selectedFields': 'selection',
  'read selectedValueMappings': 'value',
  'write selectedFieldSettings': '',
  'write selectedValueDefaults': 'old default',
};

const words: Readonly<Record<string, string>> = {
  writeOnCreate: 'written on create',
  writeOnUpdate: 'written on update',
  disabled: 'search disabled',
  deletionSettings: 'deletion',
  inheritMapping: 'writes use the mapping',
};

function nameOf([action = '', objects, objectName, member, ...inside]: readonly string[]): Pick<
  NamedValue,
  'subject' | 'what'
> {
  if (objects !== 'objects' || objectName === undefined)
    return { subject: action, what: [objects, objectName, member, ...inside].filter(Boolean).join(' ') };
  if (member === undefined || member === 'objectName') return { subject: objectName, what: `${action} settings` };
  const kind = fieldMembers[`${action} ${member}`];
  const [field, ...rest] = inside;
  if (kind !== undefined && field !== undefined) {
    // `default` has one member, which says the type.
    const named = rest[0] === 'default' ? ['default'] : rest.map((name) => words[name] ?? name);
    return { subject: `${objectName}.${field}`, what: [kind, ...named].filter(Boolean).join(' ') || 'settings' };
  }
  const [only] = member === 'deletionSettings' ? [] : inside;
  return { subject: objectName, what: [words[member] ?? member, only].filter(Boolean).join(' ') };
}

/** A text that reads like another value stands between quotes. */
function textOf(value: unknown): string {
  const isPlain = typeof value === 'string' && !/^$|^-?\d|^(?:true|false|null)$|^["[{]/.test(value);
  return isPlain ? value : JSON.stringify(value ?? null);
}
