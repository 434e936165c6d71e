import { digest, UnevenNumbers } from '../control/derived';
import type { CallKind, ImitatedProvider, ReceivedCall } from '../control/imitated-provider';
import { carriedRecords, countRecords, isObject } from '../crm/json-body';
import type { RecordIds } from '../crm/record-store';
import { findEndpoint } from './endpoints';
import { errorReply, expiredAuthentication, invalidAuthentication } from './errors';
import { Portal } from './portal';
import { defaultRateLimits } from './rate-limit';
import { newTokens, tokenRefusal } from './tokens';

/** An imitated HubSpot. Ids of records are distinct over all its accounts. */
export function createHubspot(): ImitatedProvider {
  const ids = recordIds();
  const portalIds = new PortalIds();
  return {
    name: 'hubspot',
    segments: ['crm', 'crm-object-schemas', 'account-info', 'oauth'],
    oauth: {
      tokenPaths: ['/oauth/2026-03/token', '/oauth/v1/token'],
      endsAt: { '/oauth/v1/token': '2027-02-16' },
      authorizePath: '/oauth/authorize',
      lifetimeSeconds: 1800,
    },
    defaultLimits: defaultRateLimits,
    markerField: 'lastname',
    openAccount: (name) => new Portal(portalIds.of(name), ids),
    newTokens: (_account, name, serial) => newTokens(name, serial),
    callKind,
    carriedFields,
    refuseBearer: (reason, now) =>
      errorReply(reason === 'unknown' ? invalidAuthentication() : expiredAuthentication(reason.expiredAt, now)),
    refuseTokenRequest: tokenRefusal,
  };
}

/** Ids of new contacts in HubSpot today have twelve digits and begin about here. */
const FIRST_ID = 171_590_000_000;

/** Decimal strings, growing, with uneven gaps. */
function recordIds(): RecordIds {
  const numbers = new UnevenNumbers(FIRST_ID);
  return { next: () => String(numbers.next()), skipPast: (id) => numbers.skipPast(Number(id)) };
}

function callKind(call: ReceivedCall): CallKind {
  const endpoint = findEndpoint(call.method, call.path)?.endpoint;
  if (!endpoint) return { action: 'unknown', records: 0 };
  return { action: endpoint.name, records: countRecords(endpoint.carries, call) };
}

/** `properties` of each input of a batch, or of the one record. */
function carriedFields({ bodyText }: ReceivedCall) {
  return carriedRecords(bodyText, 'inputs').map(({ properties }) => (isObject(properties) ? properties : {}));
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
