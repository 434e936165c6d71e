import type { RestAction, RestStyle } from './rest-style';

/** Which endpoint a call meets, and the parameters of its address, decoded. */
export interface FoundCall {
  readonly action: RestAction;
  readonly params: Readonly<Record<string, string>>;
}

/** Segments are compared one by one, the empty one behind a slash at the end too. */
export function findCall(style: RestStyle, method: string, path: string): FoundCall | undefined {
  const sent = decoded(path.slice(rootOf(style).length).split('/'));
  if (sent === undefined) return undefined;
  for (const endpoint of style.endpoints) {
    const params = endpoint.method === method ? match(endpoint.path.split('/'), sent) : undefined;
    if (params) return { action: endpoint.action, params };
  }
  return undefined;
}

/** Every address of the provider begins with it. */
export function rootOf({ name }: RestStyle): string {
  return `/rest/${name}`;
}

function match(template: readonly string[], sent: readonly string[]): Record<string, string> | undefined {
  if (template.length !== sent.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of template.entries()) {
    const value = sent[index] ?? '';
    if (segment.startsWith(':') && value !== '') params[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
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
