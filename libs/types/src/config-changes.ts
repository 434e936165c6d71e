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

/** What turns one content into another, a change for each value. Both are contents of configs; the order of members is no difference. */
export function describeConfigChanges(before: object, after: object): ConfigChange[] {
  const [from, to] = [valuesOf(before), valuesOf(after)];
  const changes: ConfigChange[] = [];
  for (const key of new Set([...from.keys(), ...to.keys()])) {
    const [old, now] = [from.get(key), to.get(key)];
    if (old?.text === now?.text) continue;
    const { subject, what } = (now ?? old) as NamedValue;
    changes.push({
      subject,
      what,
      ...(old === undefined ? {} : { before: old.text }),
      ...(now === undefined ? {} : { after: now.text }),
    });
  }
  return changes;
}

interface NamedValue {
  readonly subject: string;
  readonly what: string;
  readonly text: string;
}

/** Every value that has no members, by what it is called: a default is one value, whichever member carries it. */
function valuesOf(content: object): ReadonlyMap<string, NamedValue> {
  const values = new Map<string, NamedValue>();
  const walk = (value: unknown, path: readonly string[]): void => {
    const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
    for (const [name, member] of members) walk(member, [...path, name]);
    if (members.length > 0) return;
    const named = { ...nameOf(path), text: textOf(value) };
    values.set(JSON.stringify([named.subject, named.what]), named);
  };
  walk(content, []);
  return values;
}

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

function nameOf([action = '', objects, objectName, member, ...inside]: readonly string[]): Omit<NamedValue, 'text'> {
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
