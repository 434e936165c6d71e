import type { Auth } from '../requests';
import type { Declaration, ToldVariable } from './declaration';
import { textAt } from './pointer';
import { ruleOf } from './variables';

/** Values of variables that a token reply tells, by name, or why the reply cannot be believed. */
export type ToldVariables =
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
    const value = valueIn(variable.told, said);
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

/** Whole texts are compared, so nothing stands before or behind the value. */
function valueIn({ form }: ToldVariable, said: string): string | undefined {
  const [before = '', behind = ''] = form.split('{value}');
  const isOfForm = said.startsWith(before) && said.endsWith(behind) && said.length > before.length + behind.length;
  return isOfForm ? said.slice(before.length, said.length - behind.length) : undefined;
}

/** Of what is told, the first that the connection says otherwise; undefined where it says the same. */
export function otherwise(
  { variables = {} }: Declaration,
  told: Readonly<Record<string, string>>,
  { metadata = {} }: Pick<Auth, 'metadata'>,
): string | undefined {
  const strange = Object.entries(told).find(([name, value]) => {
    const given = Object.hasOwn(metadata, name) ? metadata[name] : variables[name]?.default;
    return given !== value;
  });
  return strange && `the account is at another address: providerMetadata.${strange[0]} must be ${strange[1]}`;
}
