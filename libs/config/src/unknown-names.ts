import type { ConfigProblem } from './config-error';
import { nearestName } from './nearest-name';

const prefix = 'SLUICE_';

/** Kubernetes injects these for every Service of the namespace; ours are named `sluice-…`. */
const serviceLink = /_(SERVICE_(HOST|PORT)(_.*)?|PORT_\d+_(TCP|UDP)(_.*)?)$/;

/** Settings of the sandbox, which shares an environment with the services but not a table. */
const sandboxPrefix = 'SLUICE_SANDBOX_';

/** A problem for each `SLUICE_*` name that no table knows: it is a misspelled one, and names the nearest. */
export function unknownNames(
  env: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): ConfigProblem[] {
  const hasSandbox = [...known].some((name) => name.startsWith(sandboxPrefix));
  return Object.keys(env)
    .filter((name) => hasSandbox || !name.startsWith(sandboxPrefix))
    .filter((name) => name.startsWith(prefix) && env[name] !== undefined && !known.has(name))
    .filter((name) => !serviceLink.test(name) && !/^(tcp|udp):\/\//.test(env[name] ?? ''))
    .toSorted()
    .map((name) => ({ name, rule: unknownRule(nearestSetting(name, known)) }));
}

function unknownRule(nearest: string | undefined): string {
  return nearest === undefined ? 'is not a setting of any service' : `is not a setting; did you mean ${nearest}?`;
}

/** Compared without the prefix, which every name shares. */
function nearestSetting(name: string, known: ReadonlySet<string>): string | undefined {
  const bare = new Map([...known].map((one) => [one.replace(prefix, ''), one]));
  const nearest = nearestName(name.slice(prefix.length), bare.keys());
  return nearest === undefined ? undefined : bare.get(nearest);
}
