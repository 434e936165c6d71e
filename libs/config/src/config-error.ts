import { SluiceError } from '@sluice/errors';

/** A value, or the rule its text breaks: a phrase that continues "SLUICE_PORT …". It never repeats the text. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly rule: string };

export const parsed = <T>(value: T): Parsed<T> => ({ ok: true, value });

export const broken = (rule: string): Parsed<never> => ({ ok: false, rule });

/** One broken setting. */
export interface ConfigProblem {
  /** Name of the environment variable. */
  readonly name: string;
  /** A phrase that continues the name: `must be an integer from 0 to 65535`. */
  readonly rule: string;
  /** The sentence that describes the setting. */
  readonly doc?: string;
  /** What was set; absent when it is secret or nothing was set. */
  readonly value?: string;
}

/** The environment does not fit the service's table. Lists every problem at once; never shows a secret. */
export class ConfigError extends SluiceError {
  override readonly retry = 'never';
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    super({ code: 'service.config-invalid', detail: describeProblems(problems) });
    this.problems = problems;
  }
}

function describeProblems(problems: readonly ConfigProblem[]): string {
  const lines = problems.map(({ name, rule, doc, value }) => {
    const shown = value === undefined ? name : `${name}=${value.slice(0, 100)}`;
    return `  ${shown} ${rule}.${doc === undefined ? '' : ` (${doc})`}`;
  });
  return [`${problems.length} ${problems.length === 1 ? 'setting is' : 'settings are'} wrong:`, ...lines].join('\n');
}
