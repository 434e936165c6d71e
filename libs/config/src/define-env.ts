import { DefectError } from '@sluice/errors';
import { ConfigError, type ConfigProblem } from './config-error';
import type { EnvField, EnvFields, EnvValues } from './env-field';
import { knownNames } from './fragments';
import { defaultOf, isRequired, parseField, ruleOf, settingKey } from './parse-field';
import { nearestName } from './nearest-name';

type Env = Readonly<Record<string, string | undefined>>;

/** A copy of the process's environment. Nothing else reads it; other code takes values. */
export function readProcessEnv(): NodeJS.ProcessEnv {
  // oxlint-disable-next-line no-process-env -- this is the one reader
  return { ...process.env };
}

/** The settings of one service: their only declaration, and everything that is generated from it. */
export interface EnvTable<T extends EnvFields> {
  readonly fields: T;
  /**
   * The values, frozen, under camelCase keys without the prefix: `callTimeoutMs`, `databaseUrl`.
   * @throws ConfigError that lists every problem: a missing required setting, or a present value that cannot be parsed (never replaced by the
   * default). Also a test-only setting in production, or a `SLUICE_*` name that no table has.
   */
  read(env: Env): EnvValues<T>;
  /** Name -> text for the start-up log; secrets as `set` or `unset`. */
  describe(values: EnvValues<T>): Record<string, string>;
  /** A markdown table for the service's README. */
  document(): string;
}

/** Names of every table made in this process: services that share a process share its environment. */
const definedNames = new Set<string>();

/**
 * Declares the settings of a service. Spread fragments first, then its own.
 * @throws DefectError when two names give the same key
 */
export function defineEnv<const T extends EnvFields>(fields: T): EnvTable<T> {
  const keys = Object.keys(fields).map(settingKey);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice) throw new DefectError({ code: 'service.defect', detail: `two settings share the key ${twice}` });
  for (const name of Object.keys(fields)) definedNames.add(name);
  return {
    fields,
    read: (env) => readEnv(fields, env) as EnvValues<T>,
    describe: (values) => describeEnv(fields, values),
    document: () => documentEnv(fields),
  };
}

function readEnv(fields: EnvFields, env: Env): Readonly<Record<string, unknown>> {
  const problems: ConfigProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const raw = env[name];
    const problem = raw === undefined ? checkAbsent(field) : undefined;
    const result = raw === undefined ? undefined : parseField(field, raw);
    const rule = problem ?? (result?.ok === false ? result.rule : undefined) ?? checkProduction(field, result, env);
    if (rule === undefined) values[settingKey(name)] = result?.ok ? result.value : defaultOf(field);
    else problems.push({ name, rule, doc: field.doc, ...(isShown(field, raw) ? { value: raw } : {}) });
  }
  problems.push(...unknownNames(env, new Set([...knownNames, ...definedNames])));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values);
}

function checkAbsent(field: EnvField): string | undefined {
  return isRequired(field) ? `is required: ${ruleOf(field)}` : undefined;
}

function checkProduction(
  field: EnvField,
  result: ReturnType<typeof parseField> | undefined,
  env: Env,
): string | undefined {
  const isTestValue = field.testOnly && result?.ok && result.value !== defaultOf(field);
  return isTestValue && env['NODE_ENV'] === 'production'
    ? 'is for tests only and refused with NODE_ENV=production'
    : undefined;
}

function isShown(field: EnvField, raw: string | undefined): raw is string {
  return raw !== undefined && !('secret' in field && field.secret);
}

const prefix = 'SLUICE_';

/** Kubernetes injects these for every Service of the namespace; ours are named `sluice-…`. */
const serviceLink = /_(SERVICE_(HOST|PORT)(_.*)?|PORT_\d+_(TCP|UDP)(_.*)?)$/;

/** Settings of the sandbox, which shares an environment with the services but not a table. */
const sandboxPrefix = 'SLUICE_SANDBOX_';

/** A problem for each `SLUICE_*` name that is in no table: probably misspelled, so the nearest known name is suggested. */
function unknownNames(env: Env, known: ReadonlySet<string>): ConfigProblem[] {
  const hasSandbox = [...known].some((name) => name.startsWith(sandboxPrefix));
  return Object.keys(env)
    .filter((name) => hasSandbox || !name.startsWith(sandboxPrefix))
    .filter((name) => name.startsWith(prefix) && env[name] !== undefined && !known.has(name))
    .filter((name) => !serviceLink.test(name) && !/^(tcp|udp):\/\//.test(env[name] ?? ''))
    .toSorted()
    .map((name) => {
      const retired = retiredSettings[name];
      const rule =
        retired === undefined ? unknownRule(nearestSetting(name, known)) : `is no longer a setting: ${retired}`;
      return { name, rule };
    });
}

/** Settings of earlier releases, and what to do without them. */
const retiredSettings: Readonly<Record<string, string>> = {
  SLUICE_CHECK_REPLIES: 'replies are checked by the tests alone; remove it',
  SLUICE_SANDBOX_SEARCH_LAG_MS: 'give each account its searchLagMs (POST /_sandbox/accounts); remove it',
};

function unknownRule(nearest: string | undefined): string {
  return nearest === undefined ? 'is not a setting of any service' : `is not a setting; did you mean ${nearest}?`;
}

/** Compared without the prefix, which every name shares. */
function nearestSetting(name: string, known: ReadonlySet<string>): string | undefined {
  const bare = new Map([...known].map((one) => [one.replace(prefix, ''), one]));
  const nearest = nearestName(name.slice(prefix.length), bare.keys());
  return nearest === undefined ? undefined : bare.get(nearest);
}

/** Name -> value as text, for the start-up log line. Secrets are `set` or `unset`, userinfo of a URL is masked. */
function describeEnv(fields: EnvFields, values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, describeValue(field, values[settingKey(name)])]),
  );
}

/** A markdown table with a row per setting. */
function documentEnv(fields: EnvFields): string {
  const rows = Object.entries(fields).map(([name, field]) => {
    const value = defaultOf(field);
    const fallback = isRequired(field) ? 'required' : value === undefined ? 'optional' : code(textOf(value));
    return `| \`${name}\` | ${escapeCell(ruleOf(field))} | ${fallback} | ${escapeCell(field.doc)} |`;
  });
  return ['| name | value | default | meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
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
