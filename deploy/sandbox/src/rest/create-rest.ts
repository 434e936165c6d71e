import { derivedUuid, digest } from '../control/derived';
import type { CallKind, ImitatedProvider, ReceivedCall, TokenRefusal } from '../control/imitated-provider';
import { readJson } from '../crm/json-body';
import { RestAccount, toWire } from './rest-account';
import { SerialIds } from './rest-data';
import { dataCentreOf, findCall, rootOf, type RestStyle } from './rest-style';
import { closeStyle } from './styles/close';
import { freshdeskStyle } from './styles/freshdesk';
import { klaviyoStyle } from './styles/klaviyo';
import { pipedriveStyle } from './styles/pipedrive';
import { zendeskSupportStyle } from './styles/zendesk-support';
import { zohoStyle } from './styles/zoho';

const styles: readonly RestStyle[] = [
  closeStyle,
  freshdeskStyle,
  klaviyoStyle,
  pipedriveStyle,
  zendeskSupportStyle,
  zohoStyle,
];

/** The imitated REST providers, each below `/rest/{name}`. */
export function createRestProviders(): ImitatedProvider[] {
  return styles.map(createRest);
}

function createRest(style: RestStyle): ImitatedProvider {
  const ids = new SerialIds((serial) => style.newId(serial));
  const root = rootOf(style);
  return {
    name: style.name,
    segments: [root.slice(1)],
    oauth: {
      tokenPaths: [root + style.tokenPath],
      authorizePath: root + style.authorizePath,
      isOffline: style.isOffline,
      lifetimeSeconds: 3600,
    },
    // Our choice: a minute's worth of what the pages name, in ten seconds.
    defaultLimits: { perTenSeconds: 100 },
    markerField: style.markerField,
    ...(style.dataCentres && { dataCentres: Object.keys(style.dataCentres) }),
    returnParameters: (settings) => dataCentreOf(style, settings)?.returned ?? {},
    openAccount: (name) => new RestAccount(style, workspaceOf(name), ids),
    newTokens: (_account, name, serial) => ({
      accessToken: digest(`token ${serial} of ${style.name} ${name}`).toString('hex', 0, 20),
      refreshToken: derivedUuid(`refresh token ${serial} of ${style.name} ${name}`),
    }),
    callKind: (call) => kindOf(style, call),
    carriedFields: (call) => carriedOf(style, call),
    tokenOf: (call) => style.tokenOf(call),
    refuseBearer: () => toWire(style.refused({ reason: 'credentials' })),
    refuseTokenRequest: (reason) => refuseTokenRequest(style, reason),
  };
}

/** One label of a host name, the same on every run: a digest distinguishes names that differ in other characters only. */
function workspaceOf(name: string): string {
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
  return label === name ? label : `${label || 'account'}-${digest(name).toString('hex', 0, 3)}`;
}

function kindOf(style: RestStyle, { method, path }: ReceivedCall): CallKind {
  const action = findCall(style, method, path)?.action;
  return { action: action ?? 'unknown', records: action === 'create' || action === 'update' ? 1 : 0 };
}

function carriedOf(style: RestStyle, { method, path, bodyText }: ReceivedCall) {
  const found = findCall(style, method, path);
  const object = style.objects.find(({ name }) => name === found?.params['object']);
  if (!object || (found?.action !== 'create' && found?.action !== 'update')) return [];
  const fields = style.fieldsOf(readJson(bodyText), object, found.params['id']);
  return fields ? [fields] : [];
}

/** Source: RFC 6749, 5.2. */
const grantErrors: Readonly<Record<TokenRefusal, string>> = {
  'grant-type-unknown': 'unsupported_grant_type',
  'field-missing': 'invalid_request',
  'client-unknown': 'invalid_client',
  'client-secret-wrong': 'invalid_client',
  'refresh-token-gone': 'invalid_grant',
  'account-gone': 'invalid_grant',
  'code-gone': 'invalid_grant',
  'redirect-mismatch': 'invalid_grant',
  'verifier-wrong': 'invalid_grant',
};

function refuseTokenRequest({ tokenErrors }: RestStyle, reason: TokenRefusal) {
  const own = tokenErrors?.codes[reason];
  if (tokenErrors && own !== undefined) return toWire({ status: tokenErrors.status, body: { error: own } });
  return toWire({ status: 400, body: { error: grantErrors[reason], error_description: reason.replaceAll('-', ' ') } });
}
