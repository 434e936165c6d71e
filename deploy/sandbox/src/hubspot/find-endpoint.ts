import { endpoints, type Endpoint } from './endpoints';

export interface FoundEndpoint {
  readonly endpoint: Endpoint;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** A dated API version: `2026-03`. */
const versionShape = /^\d{4}-\d{2}$/;

const templates = endpoints.flatMap((endpoint) =>
  endpoint.paths.map((path) => ({ endpoint, segments: path.split('/') })),
);

/** The endpoint at an address; undefined for a path, a method or a version that HubSpot does not have. */
export function findEndpoint(method: string, path: string): FoundEndpoint | undefined {
  const sent = decoded(path.replace(/\/$/, '').split('/'));
  if (!sent) return undefined;
  for (const { endpoint, segments } of templates) {
    if (endpoint.method !== method || segments.length !== sent.length) continue;
    const params = match(segments, sent);
    if (params) return { endpoint, params };
  }
  return undefined;
}

function match(template: readonly string[], sent: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, segment] of template.entries()) {
    const value = sent[index] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== value) return undefined;
    } else if (value === '' || (segment === ':version' && !versionShape.test(value))) return undefined;
    else params[segment.slice(1)] = value;
  }
  return params;
}

function decoded(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
