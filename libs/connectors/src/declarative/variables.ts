import type { Auth } from '../requests';
import type { Declaration, Variable } from './declaration';
import { label } from './host-rules';
import { textAt } from './template';

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

function ownOf(metadata: Auth['metadata'], name: string): string | undefined {
  return metadata !== undefined && Object.hasOwn(metadata, name) ? metadata[name] : undefined;
}

/** What the value of a variable must be, where it is not; undefined where it is. */
export function ruleOf({ oneOf, form = 'label' }: Variable, value: string): string | undefined {
  if (oneOf !== undefined) return oneOf.includes(value) ? undefined : `one of ${oneOf.join(', ')}`;
  if (form === 'text') return textForm.test(value) ? undefined : 'printable ASCII of at most 200 characters';
  return label.test(value) ? undefined : 'letters, digits and hyphens';
}

/** The value that stands in a text of this form. Whole texts are compared, so nothing stands before or behind it. */
export function valueIn(form: string, said: string): string | undefined {
  const [before = '', behind = ''] = form.split('{value}');
  const isOfForm = said.startsWith(before) && said.endsWith(behind) && said.length > before.length + behind.length;
  return isOfForm ? said.slice(before.length, said.length - behind.length) : undefined;
}

/** Values of variables that a token reply tells, by name, or why the reply cannot be believed. */
type ToldVariables =
  | { readonly ok: true; readonly metadata: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

/**
 * Reads where an account is out of the reply of a token endpoint. The token goes to that address, so a text that is not exactly of the
 * form of the file, or whose value is none that the variable may have, is refused and never repaired. Source: reliability checklist, item 15.
 */
export function toldVariables({ variables = {}, displayName }: Declaration, body: unknown): ToldVariables {
  const metadata: Record<string, string> = {};
  for (const [name, variable] of Object.entries(variables)) {
    const said = variable.told && textAt(body, variable.told.at);
    if (variable.told === undefined || said === undefined) continue;
    const value = valueIn(variable.told.form, said);
    const rule = value === undefined ? `like ${variable.told.form}` : ruleOf(variable, value);
    if (value === undefined || rule !== undefined) {
      const shown = said.slice(0, 80);
      return {
        ok: false,
        message: `${displayName} names '${shown}' as the account's address; ${name} must be ${rule}`,
      };
    }
    metadata[name] = value;
  }
  return { ok: true, metadata };
}

/** Of what is told, all that the account's connection says otherwise; empty where it says the same. */
export function otherwise(
  { variables = {} }: Declaration,
  told: Readonly<Record<string, string>>,
  { metadata = {} }: Pick<Auth, 'metadata'>,
): Readonly<Record<string, string>> {
  const strange = Object.entries(told).filter(([name, value]) => {
    const given = Object.hasOwn(metadata, name) ? metadata[name] : variables[name]?.default;
    return given !== value;
  });
  return Object.fromEntries(strange);
}
