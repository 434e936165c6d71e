import type { Assignment } from './assign-projects';
import { apis, type CellTable } from './read-table';

/** What the map has for projects that it does not know; no project can be called so. */
export const unknownProject = '-';

/** The files of a router, by their names. HAProxy 2.5 or later. */
export interface RouterFiles {
  readonly 'haproxy.cfg': string;
  readonly 'projects.map': string;
}

/** What the services answer while a dependency is away, by the router for a cell that is. */
const cellIsAway = JSON.stringify({
  type: 'about:blank',
  title: 'A component of the service is not available',
  status: 503,
  detail: 'The cell of this project does not answer.',
  code: 'service.unavailable',
  retryable: true,
});

/**
 * Where a request goes: to the cell of its API key's project, because a key knows no other one. Else to that of the path, of the state of an OAuth return, or
 * of an upload's address. Last, for `POST /v1/oauth-connect` with a bearer token, to that of the body.
 */
const rules = `
  # An API key names its project: sk_PROJECT_SECRET.
  http-request set-var(txn.key) req.hdr(x-api-key)
  http-request set-var(txn.key) http_auth_bearer if !{ var(txn.key) -m found }
  http-request set-var(txn.project) var(txn.key),field(2,_) if { var(txn.key) -m reg ^sk_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_ }
  http-request set-var(txn.project) path,field(4,/),url_dec,lower if !{ var(txn.project) -m found } { path_beg /v1/projects/ }
  http-request set-var(txn.project) url_param(state),field(1,.) if !{ var(txn.project) -m found } { path /callbacks/v1/oauth }
  http-request set-var(txn.project) path,field(4,/),field(1,.) if !{ var(txn.project) -m found } { path_beg /v1/uploads/ }
  acl in-body path /v1/oauth-connect
  http-request wait-for-body time 5s if in-body METH_POST !{ var(txn.project) -m found }
  http-request set-var(txn.project) req.body,json_query('$.projectIdOrName'),lower if in-body !{ var(txn.project) -m found }
  http-request set-var(txn.project) req.body,json_query('$.projectId') if in-body !{ var(txn.project) -m found }
`;

export function renderRouter({ listen, socket, cells }: CellTable, { cellOf, open }: Assignment): RouterFiles {
  const [first] = cells;
  const backends = apis.flatMap((api) =>
    cells.map(({ name, ...addresses }) => {
      // With one alone there is nothing to choose: whether it answers shows when it is asked.
      const check = addresses[api].length > 1 ? ' check' : '';
      const servers = addresses[api].map((address, at) => `  server ${name}-${at + 1} ${address}${check}\n`);
      return `\nbackend ${api}-${name}\n${servers.join('')}`;
    }),
  );
  const config = `# Written by "sluice cells": change the table, not this file.
global
  default-path config
  log stdout format raw local0
${socket === undefined ? '' : `  stats socket ${socket} mode 600 level admin\n`}
resolvers system
  parse-resolv-conf

defaults
  mode http
  log global
  # Neither paths nor queries: they hold addresses of uploads and codes of OAuth returns.
  log-format "%[date,utime(%Y-%m-%dT%H:%M:%SZ)] %HM %ST %Ta %b"
  timeout connect 2s
  timeout http-request 10s
  timeout http-keep-alive 60s
  timeout client 150s
  # Longer than a synchronous write may take: two calls to a provider of 30 s, and the body.
  timeout server 150s
  # A reload closes a connection after its next reply and not while it is idle: a client may be sending on it.
  option idle-close-on-response
  # Only where no connection was made: nothing is sent twice.
  retry-on conn-failure
  retries 2
  option redispatch
  option httpchk GET /readyz
  http-check expect status 200
  timeout check 3s
  default-server inter 2s fall 2 rise 1 resolvers system init-addr last,libc,none
  http-error status 503 content-type application/problem+json hdr retry-after 1 string ${quoted(cellIsAway)}

frontend sluice
${apis.map((api) => `  bind ${listen[api]} name ${api}\n`).join('')}${rules}
  http-request set-var(txn.cell) var(txn.project),map(projects.map) if { var(txn.project) -m found }
  # People sign in to the first cell: its keys seal their cookies, its database has their sessions.
  acl of-person req.hdr(sluice-console) -m found
  acl has-key req.hdr(x-api-key) -m found
  acl has-key req.hdr(authorization) -m found
  http-request set-var(txn.cell) str(${first?.name}) if { path_beg /console } || of-person !has-key
  # Keys of older versions name no project: their cell is the first.
  http-request set-var(txn.cell) str(${first?.name}) if !{ var(txn.project) -m found } { var(txn.key) -m reg ^sk_[A-Za-z0-9_-]{43}$ }
  # New projects, and what names none.
  http-request set-var(txn.cell) str(${unknownProject}),map(projects.map) if !{ var(txn.cell) -m found }
  use_backend %[so_name]-%[var(txn.cell)]
${backends.join('')}`;
  const lines = [...cellOf, [unknownProject, open.name] as const].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { 'haproxy.cfg': config, 'projects.map': lines.map(([project, cell]) => `${project} ${cell}\n`).join('') };
}

/** HAProxy reads a text between single quotes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
