import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as config from '@sluice/config';

const root = join(__dirname, '..', '..');

/** Names of settings that a service knows, and those it does not start without. */
export interface Settings {
  readonly known: readonly string[];
  readonly required: readonly string[];
}

/** Read from the source, because a service exports no table to tests: the fragments it spreads and the settings of its own. */
export function settingsOf(service: string): Settings {
  const folder = service === 'sandbox' ? 'deploy/sandbox' : `services/${service}`;
  const source = readFileSync(join(root, folder, service === 'sandbox' ? 'src/index.ts' : 'src/config.ts'), 'utf8');
  const spread = [...source.matchAll(/^ {2}\.\.\.(\w+Env)\b/gm)].flatMap(([, name]) => name ?? []);
  const fragments = spread.map((name) => fragmentOf(name));
  const fields = Object.assign({}, ...fragments) as Record<string, { default?: unknown; optional?: true }>;
  const own = [...source.matchAll(/^ {2}([A-Z_]+): /gm)].flatMap(([, name]) => name ?? []);
  const required = Object.entries(fields)
    // The ports have a default of their own in each service.
    .filter(
      ([name, field]) => !/^SLUICE_(METRICS_)?PORT$/.test(name) && !('default' in field) && !('optional' in field),
    )
    .map(([name]) => name);
  return { known: [...Object.keys(fields), ...own], required };
}

function fragmentOf(name: string): object {
  if (name === 'portEnv') return {};
  return name === 'metricsPortEnv' ? config.metricsPortEnv(0) : config[name as 'commonEnv'];
}
