import type { EnvField, EnvFields } from './env-field';
import { defaultOf, isRequired, ruleOf, settingKey } from './parse-field';

/** Name -> value as text, for the start-up log line. Secrets are `set` or `unset`, userinfo of a URL is masked. */
export function describeEnv(fields: EnvFields, values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, describeValue(field, values[settingKey(name)])]),
  );
}

/** A markdown table with a row per setting. */
export function documentEnv(fields: EnvFields): string {
  const rows = Object.entries(fields).map(([name, field]) => {
    const value = defaultOf(field);
    const fallback = isRequired(field) ? 'required' : value === undefined ? 'optional' : code(textOf(value));
    return `| \`${name}\` | ${escapeCell(ruleOf(field))} | ${fallback} | ${escapeCell(field.doc)} |`;
  });
  return ['| name | value | default | meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}

/** Text for `.env.example`: required settings stand open, the others commented out with their default. */
export function exampleEnv(fields: EnvFields): string {
  return Object.entries(fields)
    .map(([name, field]) => {
      const setting = `${name}=${textOf(defaultOf(field) ?? '')}`;
      return `# ${field.doc} Must be ${ruleOf(field)}.\n${isRequired(field) ? setting : `# ${setting}`}\n`;
    })
    .join('\n');
}

function describeValue(field: EnvField, value: unknown): string {
  if (value === undefined) return 'unset';
  if ('secret' in field && field.secret) return 'set';
  return textOf(value as string | number | boolean | readonly string[]).replace(/:\/\/[^\s/@]+@/, '://[secret]@');
}

function textOf(value: string | number | boolean | readonly string[]): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return Array.isArray(value) ? value.join(',') : String(value);
}

const code = (text: string): string => (text === '' ? 'empty' : `\`${text}\``);

const escapeCell = (text: string): string => text.replaceAll('|', '\\|');
