import { notFound } from './wire-reply';
import { identityUrl } from './token-replies';
import type { ApiAction } from './org';

/** Versions that have collections, and the current one. Source: docs/contributing/providers.md, B1. */
const OLDEST = 42;
const LATEST = 67;

/** The version of a path segment such as `v60.0`. @throws SalesforceError 404 */
export function readVersion(segment: string): string {
  const [, version = ''] = /^v(\d{2})\.0$/.exec(segment) ?? [];
  if (Number(version) < OLDEST || Number(version) > LATEST) throw notFound();
  return `${version}.0`;
}

/** `GET /services/data` -> every version, with neither token nor limit at Salesforce. */
export const listVersions: ApiAction = () => ({
  status: 200,
  body: Array.from({ length: LATEST - OLDEST + 1 }, (_, index) => {
    const version = `${OLDEST + index}.0`;
    return { label: `Release ${version}`, url: `/services/data/v${version}`, version };
  }),
});

/** `GET /services/data/vNN.0` -> the resources there are. */
export const listResources: ApiAction = ({ version, origin, org }) => {
  const base = `/services/data/v${version}`;
  const names = ['composite', 'limits', 'query', 'queryAll', 'sobjects'];
  const resources = Object.fromEntries(names.map((name) => [name, `${base}/${name}`]));
  return { status: 200, body: { ...resources, identity: identityUrl(origin, org) } };
};

/** `GET /limits`: what is left of the daily calls, as far as the sandbox counts. */
export const listLimits: ApiAction = ({ org, now }) => {
  const { used, limit } = org.usage(now);
  return { status: 200, body: { DailyApiRequests: { Max: limit, Remaining: Math.max(0, limit - used) } } };
};
