import type { ReturnedPlace } from '../results';
import type { Declaration, ReturnedVariable, Variable } from './declaration';
import { ruleOf, valueIn } from './variables';

type Parameters = Readonly<Record<string, string>>;

/** The longest part of a parameter that is shown. */
const shownMax = 80;

/**
 * Reads where an account is out of the parameters that a customer came back with. The code and the app's secret go there, and anybody can
 * write an address: what is not exactly a text of the file is refused and never repaired, and so are two parameters that do not agree.
 */
export function returnedPlace({ variables = {} }: Declaration, parameters: Parameters): ReturnedPlace {
  const metadata: Record<string, string> = {};
  for (const [name, variable] of Object.entries(variables)) {
    const read = readVariable(variable, parameters);
    if (!read.ok) return read;
    if (read.value !== undefined) metadata[name] = read.value;
  }
  return { ok: true, metadata };
}

type Read = { readonly ok: true; readonly value?: string } | Extract<ReturnedPlace, { ok: false }>;

function readVariable(variable: Variable, parameters: Parameters): Read {
  let first: { readonly parameter: string; readonly said: string; readonly value: string } | undefined;
  for (const returned of variable.returned ?? []) {
    const { parameter } = returned;
    if (!Object.hasOwn(parameters, parameter)) continue;
    const said = parameters[parameter] ?? '';
    const value = valueOf(variable, returned, said);
    if (value === undefined) return refuse(parameter, said, `one of ${knownTexts(variable, returned).join(', ')}`);
    if (first !== undefined && first.value !== value) {
      return refuse(
        parameter,
        said,
        `${textFor(returned, first.value)}, as ${first.parameter} is '${shown(first.said)}'`,
      );
    }
    first ??= { parameter, said, value };
  }
  return { ok: true, ...(first && { value: first.value }) };
}

function valueOf(variable: Variable, { form, values = {} }: ReturnedVariable, said: string): string | undefined {
  const value = form === undefined ? ownOf(values, said) : valueIn(form, said);
  return value === undefined || ruleOf(variable, value) !== undefined ? undefined : value;
}

/** The texts that a parameter may be; of a value without a list its form. */
function knownTexts({ oneOf }: Variable, returned: ReturnedVariable): string[] {
  const { form, values = {} } = returned;
  if (form === undefined) return Object.keys(values);
  return oneOf === undefined ? [form] : oneOf.map((value) => textFor(returned, value));
}

/** What a parameter says for a value. */
function textFor({ form, values = {} }: ReturnedVariable, value: string): string {
  if (form !== undefined) return form.replace('{value}', value);
  const words = Object.entries(values).filter(([, meant]) => meant === value);
  return words.map(([word]) => word).join(' or ') || 'absent';
}

const ownOf = (values: Readonly<Record<string, string>>, word: string) =>
  Object.hasOwn(values, word) ? values[word] : undefined;

const shown = (said: string) => said.replace(/\p{Cc}+/gu, ' ').slice(0, shownMax);

const refuse = (parameter: string, said: string, rule: string) =>
  ({ ok: false, parameter, value: shown(said), rule }) as const;
