import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Declaration, TappedExchange } from '@sluice/connectors';
import type { Fixture } from '@sluice/connectors/conformance';
import type { Finding } from './finding';

/**
 * The log of a run's exchanges, in lines of JSON. It is built from what may stand in it: methods, status codes, the names below, those of the
 * provider's file, and names of headers. Of every value it has the JSON type and the length. No value is ever copied into it.
 */
export interface ExchangeLog {
  readonly tap: (exchange: TappedExchange) => void;
  /** Names what the next exchanges are about. */
  readonly step: (name: string) => void;
  /** Adds the verdicts. @returns how many exchanges the log holds */
  readonly end: (findings: readonly Finding[]) => number;
}

/** What a log begins with: nothing of the account. */
export interface LogHead {
  readonly provider: string;
  readonly run: string;
  /** `sandbox`: an imitation answered, which proves nothing of the provider. */
  readonly source: 'account' | 'sandbox';
}

/** @param path private to the user; written as the run goes on, so that a stopped one has its log too */
export function openExchangeLog(path: string, head: LogHead, names: ReadonlySet<string>): ExchangeLog {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(head)}\n`, { mode: 0o600 });
  const append = (line: object) => appendFileSync(path, `${JSON.stringify(line)}\n`);
  let current = 'opening the account';
  let count = 0;
  return {
    step: (name) => (current = name),
    tap: (exchange) => {
      count += 1;
      append({ step: current, ...shapeOfExchange(exchange, names) });
    },
    end: (findings) => {
      append({ findings: findings.map(({ name, verdict }) => ({ name, verdict })) });
      return count;
    },
  };
}

/** Names that the APIs of the providers in code have in their addresses and bodies; those of the others come from their files. */
const ownNames = `
  2026-03 account-info after archived associations associationCategory associationTypeId batch body category code
  composite configuration context correlationId crm crm-object-schemas create createdAt data describe details errorCode errors exists field
  fieldType fields filterGroups filters from get hubId id Id idProperty inputs label limit links message name nillable numErrors oauth oauth2 objects
  operator organization_id path picklistValues portalId private-apps properties propertyName q query queryAll read readOnlyValue records referenceTo
  required requiredProperties results schemas scopes search services size sobjects status statusCode subCategory success to token total
  totalSize type types update updatedAt upsert url userinfo v1 v2 v3 v4 v66.0 value values
`
  .trim()
  .split(/\s+/);

/** Names that may stand in a log of this provider: none of them comes from an account. */
export function namesOf(fixture: Fixture, file: Declaration | undefined): ReadonlySet<string> {
  const objects = [fixture, ...(fixture.link ? [fixture.link.object] : [])];
  const ofFile = file === undefined ? [] : (JSON.stringify(file).match(/[A-Za-z][\w.-]*/g) ?? []);
  const ofFixture = objects.flatMap(({ objectName, fields }) => [objectName, ...Object.keys(fields(''))]);
  return new Set([...ownNames, ...ofFixture, ...ofFile]);
}

/** An exchange without a value of it. @param names which may stand as they are in addresses and as members */
export function shapeOfExchange({ request, outcome }: TappedExchange, names: ReadonlySet<string>): object {
  const { method, origin, path, headers, forwarded = [], body, form } = request;
  const sent = { ...Object.fromEntries(forwarded.map(({ key, value }) => [key.toLowerCase(), value])), ...headers };
  return {
    request: {
      method,
      path: shapeOfPath(`${URL.parse(origin ?? '')?.pathname ?? ''}/${path}`, names),
      headers: shapeOfHeaders(sent),
      ...(body !== undefined && { body: shapeOf(body, names) }),
      ...(form && { form: shapeOf(form, names) }),
    },
    ...shapeOfOutcome(outcome, names),
  };
}

function shapeOfOutcome(outcome: TappedExchange['outcome'], names: ReadonlySet<string>): object {
  const { kind } = outcome;
  if (kind === 'not-sent') return { kind };
  if (kind === 'no-reply') return { kind, fault: outcome.fault };
  const { status, headers, json, text, fault } = outcome.reply;
  return {
    reply: {
      status,
      headers: shapeOfHeaders(headers),
      ...(json !== undefined && { json: shapeOf(json, names) }),
      ...(text !== undefined && { text: typeOf(text) }),
      ...(fault !== undefined && { fault }),
    },
  };
}

/** `string(12)`, `number(4)`, `boolean`, `null`. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  const isLong = typeof value === 'string' || typeof value === 'number';
  return isLong ? `${typeof value}(${String(value).length})` : typeof value;
}

/** Items of a list that are shown. */
const itemsMax = 3;

function shapeOf(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    const items = value.slice(0, itemsMax).map((item) => shapeOf(item, names));
    return value.length > itemsMax ? [...items, `${value.length - itemsMax} more`] : items;
  }
  if (typeof value !== 'object' || value === null) return typeOf(value);
  const members = Object.entries(value).map(([name, inner], at) => {
    return [names.has(name) ? name : `#${at} name(${name.length})`, shapeOf(inner, names)] as const;
  });
  return Object.fromEntries(members);
}

/** Segments and names of parameters that are no known name are as much of the account as the values. */
function shapeOfPath(path: string, names: ReadonlySet<string>): string {
  const [segments = '', ...queries] = path.split('?');
  const shown = (part: string): string => (names.has(part) ? part : `string(${part.length})`);
  const shownPath = segments.split('/').filter(Boolean).map(shown).join('/');
  if (queries.length === 0) return `/${shownPath}`;
  const pairs = queries
    .join('?')
    .split('&')
    .map((pair) => {
      const [name = '', ...values] = pair.split('=');
      return `${shown(name)}=string(${values.join('=').length})`;
    });
  return `/${shownPath}?${pairs.join('&')}`;
}

const limit = String.raw`(?:limit|remaining|reset|api-usage)?=?[\d./]{1,24}`;

/** Headers whose values stand, as long as they have this form: what a body is, and what of a limit is left. */
const shownHeaders: readonly (readonly [name: RegExp, form: RegExp])[] = [
  [
    /^(?:content-type|accept)$/,
    /^(?:application|text)\/(?:json|xml|html|plain|problem\+json|vnd\.api\+json|x-www-form-urlencoded)(?:; ?charset=utf-8)?$/i,
  ],
  [
    /^(?:retry-after|sforce-limit-info|(?:x-)?(?:hubspot-)?rate-?limit(?:-[a-z-]+)?)$/,
    new RegExp(`^${limit}(?:[,;] ?${limit}){0,9}$`),
  ],
];

function shapeOfHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => {
    const isShown = shownHeaders.some(([names, form]) => names.test(name) && form.test(value));
    return [name, isShown ? value : '…'] as const;
  });
  return Object.fromEntries(shown);
}
