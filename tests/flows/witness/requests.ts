import type { Exchange } from './recorder';

/**
 * How two ways of doing one job differ in what they send: `+` is sent by the first alone, `-` by the second alone. Ids are `{id}`, versions in
 * paths `{version}`; the order of calls and of members does not matter.
 */
export function requestDifferences(ours: readonly Exchange[], theirs: readonly Exchange[]): string[] {
  const [own, others] = [ours.flatMap(linesOf), theirs.flatMap(linesOf)];
  return [
    ...own.filter((line) => !others.includes(line)).map((line) => `+ ${line}`),
    ...others.filter((line) => !own.includes(line)).map((line) => `- ${line}`),
  ];
}

/** Method and path with the content type and the kind of the credentials, then each value of the body. */
function linesOf({ method, path, query, headers, request }: Exchange): string[] {
  const [type = 'nothing'] = headers['content-type']?.split(';') ?? [];
  const sent = request === undefined ? 'nothing' : type;
  const scheme = headers.authorization?.split(' ')[0] ?? 'none';
  const call = `${method} ${withoutVersion(path)}${decodeURIComponent(query)}: ${sent}, ${scheme}`;
  return [call, ...leavesOf(request)].map((line) =>
    line.replace(/\b\d{9,}\b|\b00[13D]\w{15}\b/g, '{id}').replace(ofTheAccount, '$1'),
  );
}

/** What is another at every account. */
const ofTheAccount = /^(code|code_verifier|refresh_token) = .*/;

/** HubSpot names a version before the resource or behind it. */
function withoutVersion(path: string): string {
  return path
    .replace(/^\/crm\/v[34]\/(\w+)|^\/crm\/(\w+)\/2026-03/, '/crm/{version}/$1$2')
    .replace(/\/(v\d+(\.0)?|2026-03)\//, '/{version}/')
    .replace(/\/$/, '');
}

function leavesOf(value: unknown, at = ''): string[] {
  if (value === undefined) return [];
  const inner =
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).map(([name, item]): [string, unknown] => [
          Array.isArray(value) ? `${at}[${name}]` : `${at}.${name}`.replace(/^\./, ''),
          item,
        ]);
  return inner.length === 0
    ? [`${at} = ${JSON.stringify(value)}`]
    : inner.flatMap(([name, item]) => leavesOf(item, name));
}
