import type { RecordedExchange } from '../recording';

/** Shorter lists are kept whole. */
const longList = 20;

/** Leaves of an account's descriptions those of fields that the run wrote or that every record needs; a real account has hundreds. */
export function trimMetadata(exchange: RecordedExchange, fields: readonly string[]): RecordedExchange {
  const { reply } = exchange;
  if (reply?.json === undefined) return exchange;
  return { ...exchange, reply: { ...reply, json: trim(reply.json, new Set(fields)) } };
}

function trim(value: unknown, fields: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    const name = value.length > longList ? nameMember(value, fields) : undefined;
    if (name === undefined) return value.map((one) => trim(one, fields));
    return value.filter((field: Named) => fields.has(String(field[name])) || isRequired(field));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, trim(inner, fields)]));
}

type Named = Readonly<Record<string, unknown>>;

/** The member that names the fields, in a list that describes them. */
function nameMember(list: readonly unknown[], fields: ReadonlySet<string>): string | undefined {
  const described = list.filter((one): one is Named => typeof one === 'object' && one !== null);
  if (described.length < list.length) return undefined;
  const named = described.flatMap((one) => Object.entries(one)).find(([, name]) => fields.has(String(name)));
  return named?.[0];
}

/** In the words of any provider: `required_for_agents`, `mandatory_flag`, `nillable`. */
function isRequired(field: Named): boolean {
  return Object.entries(field).some(([name, value]) =>
    /required|mandatory/i.test(name) ? value === true : name === 'nillable' && value === false,
  );
}
