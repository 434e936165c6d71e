import { derivedUuid, digest } from '../control/derived';
import type { CallKind, ImitatedProvider, NewTokens, ReceivedCall } from '../control/imitated-provider';
import { HubspotError, errorReply } from './wire-reply';
import { findEndpoint } from './find-endpoint';
import { Portal } from './portal';
import { defaultRateLimits } from './rate-limit';
import { RecordIds } from './records-store';
import { expiredAuthentication, invalidAuthentication } from './status-reply';
import { tokenRefusal } from './token-reply';

/** An imitated HubSpot. Ids of records are distinct over all its accounts. */
export function createHubspot(): ImitatedProvider {
  const ids = new RecordIds();
  const portalIds = new PortalIds();
  return {
    name: 'hubspot',
    segments: ['crm', 'crm-object-schemas', 'account-info', 'oauth'],
    oauth: {
      tokenPaths: ['/oauth/v1/token', '/oauth/v3/token', '/oauth/2026-03/token'],
      authorizePath: '/oauth/authorize',
      lifetimeSeconds: 1800,
    },
    defaultLimits: defaultRateLimits,
    markerField: 'lastname',
    openAccount: (name) => new Portal(portalIds.of(name), ids),
    newTokens: (_account, name, serial) => newTokens(name, serial),
    callKind,
    carriedFields,
    refuseBearer: (reason, now) => {
      const fields = reason === 'unknown' ? invalidAuthentication : expiredAuthentication(reason.expiredAt, now);
      return errorReply(new HubspotError(401, fields));
    },
    refuseTokenRequest: tokenRefusal,
  };
}

/** The first access token looks like that of a private app, the later ones like OAuth's. */
function newTokens(name: string, serial: number): NewTokens {
  const refreshToken = `na1-${derivedUuid(serial === 0 ? `refresh token of ${name}` : `refresh token ${serial} of ${name}`)}`;
  if (serial === 0) return { accessToken: `pat-na1-${derivedUuid(`token of ${name}`)}`, refreshToken };
  return { accessToken: `C${digest(`token ${serial} of ${name}`).toString('base64url')}`, refreshToken };
}

function callKind({ method, path, bodyText }: ReceivedCall): CallKind {
  const endpoint = findEndpoint(method, path)?.endpoint;
  if (!endpoint) return { action: 'unknown', records: 0 };
  if (endpoint.carries !== 'inputs') return { action: endpoint.name, records: endpoint.carries === 'one' ? 1 : 0 };
  return { action: endpoint.name, records: readInputs(bodyText).length };
}

/** `properties` of each input of a batch, or of the one record. */
function carriedFields({ bodyText }: ReceivedCall): readonly Readonly<Record<string, unknown>>[] {
  const inputs = readInputs(bodyText);
  const records = inputs.length > 0 ? inputs : [readBody(bodyText)];
  return records.map((record) => record?.properties ?? {});
}

interface WriteBody {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly inputs?: unknown;
}

/** A body that cannot be read carries none. */
function readInputs(bodyText: string): readonly (WriteBody | null)[] {
  const inputs = readBody(bodyText)?.inputs;
  return Array.isArray(inputs) ? (inputs as (WriteBody | null)[]) : [];
}

function readBody(bodyText: string): WriteBody | null {
  try {
    return JSON.parse(bodyText) as WriteBody | null;
  } catch {
    return null;
  }
}

/** Eight digits, as HubSpot's. Derived from the name, the next free one when another account has it. */
class PortalIds {
  private readonly byName = new Map<string, number>();

  of(name: string): number {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    const taken = new Set(this.byName.values());
    let id = 10_000_000 + (digest(name).readUInt32BE(0) % 80_000_000);
    while (taken.has(id)) id += 1;
    this.byName.set(name, id);
    return id;
  }
}
