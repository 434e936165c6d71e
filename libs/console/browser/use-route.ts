import { useEffect, useState } from 'preact/hooks';

/** The current page of the console: the part of the address after `#`. Filters and page tokens only; never the key. */
export interface Route {
  /** `operations`, `operations/{id}`, … without slashes around it. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const start = 'overview';
/** Address of each list as it was left in this tab: the way back keeps its filter and its page. */
const lastHrefs = new Map<string, string>();

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  if (!path.includes('/')) lastHrefs.set(path, location.hash);
  return { path: path === '' ? start : path, query: new URLSearchParams(query) };
}

/** Address of a list as it was last shown. */
export const lastHrefOf = (path: string): string => lastHrefs.get(path) ?? hrefOf(path);

/** Another project has other customers. */
export const forgetLists = (): void => lastHrefs.clear();

/** The route, updated whenever it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const follow = (): void => setRoute(readRoute());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

/** Address of a route. Members without a value are left out. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const named = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return named.length === 0 ? `#/${path}` : `#/${path}?${new URLSearchParams(named).toString()}`;
}

export function goTo(href: string): void {
  location.hash = href.slice(1);
}
