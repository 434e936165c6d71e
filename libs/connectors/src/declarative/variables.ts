import type { Auth } from '../requests';
import type { ReturnedAddress } from '../results';
import type { Declaration, ReturnedVariable, Variable } from './declaration';
import { fillText, namesIn, textAt } from './template';

/** Values of the variables of an account, or why it has none. */
type AccountVariables =
  | { readonly ok: true; readonly texts: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

/** Longest text of a header. [own] */
const textForm = /^[\x21-\x7e]([\x20-\x7e]{0,198}[\x21-\x7e])?$/;

/** What a connection gives for the variables of its provider. A value of another form is refused, never repaired. */
export function variablesOf(
  { variables = {} }: Declaration,
  auth: Pick<Auth, 'workspaceRef' | 'metadata'>,
): AccountVariables {
  const texts: Record<string, string> = {};
  for (const [name, variable] of Object.entries(variables)) {
    const isWorkspace = variable.from === 'workspace';
    const given = isWorkspace ? auth.workspaceRef : ownOf(auth.metadata, name);
    const value = isWorkspace ? given?.toLowerCase() : given;
    const where = isWorkspace ? 'providerWorkspaceRef' : `providerMetadata.${name}`;
    const used = value ?? variable.default;
    if (used === undefined) return { ok: false, message: `${where} is not set on the connection` };
    const rule = ruleOf(variable, used);
    if (rule !== undefined) return { ok: false, message: `${where} must be ${rule}, not '${used.slice(0, 80)}'` };
    texts[name] = used;
  }
  return { ok: true, texts };
}

function ownOf(values: Readonly<Record<string, string>> = {}, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** What the value of a variable must be, where it is not; undefined where it is. */
export function ruleOf({ oneOf, form = 'label' }: Variable, value: string): string | undefined {
  if (oneOf !== undefined) return oneOf.includes(value) ? undefined : `one of ${oneOf.join(', ')}`;
  if (form === 'text') return textForm.test(value) ? undefined : 'printable ASCII of at most 200 characters';
  return label.test(value) ? undefined : 'letters, digits and hyphens';
}

/** The value in a text of this form. Whole texts are compared, so nothing comes before or after it. */
function valueIn(form: string, text: string): string | undefined {
  const [before = '', behind = ''] = form.split('{value}');
  const isOfForm = text.startsWith(before) && text.endsWith(behind) && text.length > before.length + behind.length;
  return isOfForm ? text.slice(before.length, text.length - behind.length) : undefined;
}

/** Values of variables in a token reply, by name, or why the reply is refused. */
type ReportedVariables =
  | { readonly ok: true; readonly metadata: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

/**
 * Reads an account's address from the reply of a token endpoint. The token is sent to that address. So a text is refused, never repaired, unless it
 * has exactly the file's form and a value that the variable may have. Source: reliability checklist, item 15.
 */
export function reportedVariables({ variables = {}, displayName }: Declaration, body: unknown): ReportedVariables {
  const metadata: Record<string, string> = {};
  for (const [name, variable] of Object.entries(variables)) {
    const text = variable.told && textAt(body, variable.told.at);
    if (variable.told === undefined || text === undefined) continue;
    const value = valueIn(variable.told.form, text);
    const rule = value === undefined ? `like ${variable.told.form}` : ruleOf(variable, value);
    if (value === undefined || rule !== undefined) {
      const shown = text.slice(0, 80);
      return {
        ok: false,
        message: `${displayName} names '${shown}' as the account's address; ${name} must be ${rule}`,
      };
    }
    metadata[name] = value;
  }
  return { ok: true, metadata };
}

/** The reported values that differ from those of the account's connection; empty where all are the same. */
export function otherwise(
  { variables = {} }: Declaration,
  reported: Readonly<Record<string, string>>,
  { metadata = {} }: Pick<Auth, 'metadata'>,
): Readonly<Record<string, string>> {
  const strange = Object.entries(reported).filter(([name, value]) => {
    const given = Object.hasOwn(metadata, name) ? metadata[name] : variables[name]?.default;
    return given !== value;
  });
  return Object.fromEntries(strange);
}

/** One label of a host name. Source: RFC 1035, 2.3.4. */
export const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The origin of a request, or why there is none. */
type Origin = { readonly ok: true; readonly origin: string } | { readonly ok: false; readonly message: string };

/**
 * A URL of a file with its variables filled in. A token is sent there, so the result is parsed and its host compared with what was
 * meant: `acme.zendesk.com/` in place of a label would else be another host. Source: reliability checklist, item 15.
 * @param override in place of scheme and host, with a path before the URL's own; for the sandbox
 */
export function originOf(
  { hosts = {} }: Pick<Declaration, 'hosts'>,
  url: string,
  texts: Readonly<Record<string, string>>,
  override: string | undefined,
): Origin {
  const [, scheme = '', host = '', declaredPath = ''] = /^(https?:\/\/)([^/]*)(\/.*)?$/s.exec(url) ?? [];
  const path = fillText(declaredPath, texts);
  if (override !== undefined) return { ok: true, origin: override.replace(/\/+$/, '') + path };
  const named = fillText(host, texts);
  const filled = (Object.hasOwn(hosts, named) ? hosts[named] : undefined) ?? named;
  const parsed = URL.parse(`${scheme}${filled}${path}`);
  if (parsed?.host !== filled || parsed.username !== '' || parsed.password !== '') {
    return { ok: false, message: `the account's address would be '${filled.slice(0, 80)}', which is no host` };
  }
  return { ok: true, origin: scheme + filled + path };
}

/** A URL of the file beside its base, for an account. */
export function addressOf(
  file: Declaration,
  url: string,
  account: Pick<Auth, 'workspaceRef' | 'metadata'>,
  override: string | undefined,
): Origin {
  const used = new Set(namesIn(url));
  const variables = Object.fromEntries(Object.entries(file.variables ?? {}).filter(([name]) => used.has(name)));
  const values = variablesOf({ ...file, variables }, account);
  return values.ok ? originOf(file, url, values.texts, override) : values;
}

type Parameters = Readonly<Record<string, string>>;

/** The longest part of a parameter that is shown. */
const shownMax = 80;

/**
 * Reads an account's address from the parameters of a customer's return. The code and the app's secret are sent to that address, and anyone can write
 * a URL. So a text that does not have exactly the file's form is refused, never repaired, and so are two parameters that disagree.
 */
export function returnedAddress({ variables = {} }: Declaration, parameters: Parameters): ReturnedAddress {
  const metadata: Record<string, string> = {};
  for (const [name, variable] of Object.entries(variables)) {
    const read = readVariable(variable, parameters);
    if (!read.ok) return read;
    if (read.value !== undefined) metadata[name] = read.value;
  }
  return { ok: true, metadata };
}

type Read = { readonly ok: true; readonly value?: string } | Extract<ReturnedAddress, { ok: false }>;

function readVariable(variable: Variable, parameters: Parameters): Read {
  let first: { readonly parameter: string; readonly text: string; readonly value: string } | undefined;
  for (const returned of variable.returned ?? []) {
    const { parameter } = returned;
    if (!Object.hasOwn(parameters, parameter)) continue;
    const text = parameters[parameter] ?? '';
    const value = valueOf(variable, returned, text);
    if (value === undefined) return refuse(parameter, text, `one of ${knownTexts(variable, returned).join(', ')}`);
    if (first !== undefined && first.value !== value) {
      return refuse(
        parameter,
        text,
        `${textFor(returned, first.value)}, as ${first.parameter} is '${shown(first.text)}'`,
      );
    }
    first ??= { parameter, text, value };
  }
  return { ok: true, ...(first && { value: first.value }) };
}

function valueOf(variable: Variable, { form, values = {} }: ReturnedVariable, text: string): string | undefined {
  const value = form === undefined ? ownOf(values, text) : valueIn(form, text);
  return value === undefined || ruleOf(variable, value) !== undefined ? undefined : value;
}

/** The texts that a parameter may be; of a value without a list its form. */
function knownTexts({ oneOf }: Variable, returned: ReturnedVariable): string[] {
  const { form, values = {} } = returned;
  if (form === undefined) return Object.keys(values);
  return oneOf === undefined ? [form] : oneOf.map((value) => textFor(returned, value));
}

/** The text of a parameter for a value. */
function textFor({ form, values = {} }: ReturnedVariable, value: string): string {
  if (form !== undefined) return form.replace('{value}', value);
  const words = Object.entries(values).filter(([, meant]) => meant === value);
  return words.map(([word]) => word).join(' or ') || 'absent';
}

const shown = (text: string) => text.replace(/\p{Cc}+/gu, ' ').slice(0, shownMax);

const refuse = (parameter: string, text: string, rule: string) =>
  ({ ok: false, parameter, value: shown(text), rule }) as const;
