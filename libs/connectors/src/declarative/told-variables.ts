import type { Auth } from '../requests';
import type { Declaration } from './declaration';
import { textAt } from './pointer';
import { ruleOf, valueIn } from './variables';

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
