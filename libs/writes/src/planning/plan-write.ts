import { type Capabilities, type Connector, unservedModule } from '@sluice/connectors';
import { ValidationError, type Issue } from '@sluice/errors';
import {
  limits,
  pathOf,
  recordIdOf,
  type FieldDecision,
  type JsonValue,
  type PlanNote,
  type WritePlan,
  type WriteRequest,
  type Association,
  type ForwardedHeader,
  type WriteRecord,
  listItemRule,
  memberAt,
  withMemberAt,
  withoutMemberAt,
} from '@sluice/types';
import type { FieldRule, WriteRules } from './write-rules';

/** One record of a request, with what goes with it. */
export interface PlannableRecord {
  readonly record: WriteRecord;
  readonly associations?: readonly Association[] | undefined;
  readonly headers?: readonly ForwardedHeader[] | undefined;
  /** Path of the record in the request, for issues: `record` or `batch[3].record`. */
  readonly path: string;
}

/** The plan, and the reason for each field in it or left out of it. */
export interface PlannedWrite {
  readonly plan: WritePlan;
  readonly decisions: readonly FieldDecision[];
}

/**
 * Applies an installation's config to a record: defaults, `writeOnCreate` and `writeOnUpdate`, mappings, value mappings.
 * Pure: the same record and rules give the same plan. 100 records of 50 fields take under 5 ms (`bench/plan-batch.mjs`).
 * Source: specification, Write records, rules 5 and 6; silent points in rulings.
 * @throws ValidationError when two names mean one field, a list cannot be joined, or nothing is left of a create
 */
export function planRecord(rules: WriteRules, write: PlannableRecord): PlannedWrite {
  const { type, objectName } = rules;
  const recordId = type === 'create' ? undefined : recordIdOf(write.record);
  const decided = decideAll(rules, write);
  checkLists(decided, rules.listSeparator, write.path);
  const { fields, ifEmpty, decisions } = toFields(rules, decided, write.path);
  const notes = decisions.flatMap(toNote);
  const plan: WritePlan = {
    type,
    objectName,
    ...(recordId === undefined ? {} : { recordId }),
    fields,
    ...(ifEmpty.length === 0 ? {} : { ifEmpty }),
    ...(write.associations === undefined ? {} : { associations: write.associations }),
    ...(write.headers === undefined ? {} : { headers: write.headers }),
    ...(notes.length === 0 ? {} : { notes }),
  };
  if (type === 'create' && Object.keys(fields).length === 0) throw nothingToWrite(write.path);
  return { plan, decisions };
}

/** The reason of a field that is written because the request has it. */
const asSent = 'sent in the request';

/** A decision that the plan alone does not show: a field that was sent under its own name needs no explanation. */
function toNote({ field, providerField, reason, sent }: FieldDecision): PlanNote[] {
  if (sent && field === providerField && reason === asSent) return [];
  return [{ field, ...(providerField === undefined ? {} : { providerField }), reason, sent }];
}

/** The fields that were sent, then the defaults of those that were not. */
function decideAll(rules: WriteRules, { record: given, path }: PlannableRecord): FieldDecision[] {
  const { type, defaults, ruleOf } = rules;
  const record = withMappedPaths(rules, given);
  const names = Object.keys(record).filter((name) => type === 'create' || name !== 'id');
  const present = refuseAmbiguous(rules, names, path);
  const decisions: FieldDecision[] = [];
  for (const name of names) {
    decisions.push(decideField(ruleOf(name), name, record[name] as JsonValue, asSent));
  }
  for (const { name, value, reason } of defaults) {
    const rule = ruleOf(name);
    if (!present.has(rule.key)) decisions.push(decideField(rule, name, value, reason));
  }
  return decisions;
}

/** Lifts what stands under mapped names that are paths to the top of the record, under these names. */
function withMappedPaths({ mappedPaths }: WriteRules, record: WriteRecord): WriteRecord {
  return mappedPaths.reduce((all, { name, steps }) => {
    const value = memberAt(all, steps) as JsonValue | undefined;
    return value === undefined ? all : { ...withoutMemberAt(all, steps), [name]: value };
  }, record);
}

/**
 * The fields as they are sent: those of one path beside each other in one object.
 * @returns with the decisions, of which a default gives way to what the record has there
 * @throws ValidationError where two names of the record give one object different values
 */
function toFields({ ruleOf }: WriteRules, decided: readonly FieldDecision[], path: string) {
  const entries: [string, JsonValue][] = [];
  const inside: FieldDecision[] = [];
  const ifEmpty: string[] = [];
  for (const decision of decided) {
    const { field, providerField, value, sent } = decision;
    if (!sent || providerField === undefined) continue;
    const { isIfEmpty, steps } = ruleOf(field);
    if (steps === undefined) entries.push([providerField, value]);
    else inside.push(decision);
    if (isIfEmpty) ifEmpty.push(providerField);
  }
  let fields: Readonly<Record<string, JsonValue>> = Object.fromEntries(entries);
  if (inside.length === 0) return { fields, ifEmpty, decisions: decided };
  const left = new Map<FieldDecision, FieldDecision>();
  const issues: Issue[] = [];
  for (const decision of inside) {
    const { steps = [] } = ruleOf(decision.field);
    const next = withMemberAt(fields, steps, decision.value);
    const detail = `is a part of ${steps[0]}, which the record has with another value; send one of the two`;
    if (next !== undefined) fields = next;
    else if (decision.reason.startsWith(asSent))
      issues.push({ in: 'body', name: pathOf(path, decision.field), detail });
    else left.set(decision, { ...decision, reason: `the record has ${steps[0]} with a value of its own`, sent: false });
  }
  if (issues.length > 0) throw twice(issues.slice(0, limits.issuesMax));
  return { fields, ifEmpty, decisions: decided.map((one) => left.get(one) ?? one) };
}

/** @returns the provider fields that the names mean, as `FieldRule.key`, each meant once */
function refuseAmbiguous({ ruleOf }: WriteRules, names: readonly string[], path: string): ReadonlyMap<string, string> {
  const nameOf = new Map<string, string>();
  const issues: Issue[] = [];
  const faults: Issue[] = [];
  for (const name of names) {
    const { key: target, fault } = ruleOf(name);
    const other = nameOf.get(target);
    if (other === undefined) nameOf.set(target, name);
    else {
      const detail = `means the same field as ${other}; send one of the two`;
      issues.push({ in: 'body', name: pathOf(path, name), detail });
      if (issues.length === limits.issuesMax) break;
    }
    if (fault !== undefined) faults.push({ in: 'body', name: pathOf(path, name), detail: fault });
  }
  if (issues.length > 0) throw twice(issues);
  if (faults.length === 0) return nameOf;
  const detail = 'A name leads to no field of the provider.';
  throw new ValidationError({ code: 'request.invalid', detail, issues: faults.slice(0, limits.issuesMax) });
}

function twice(issues: readonly Issue[]): ValidationError {
  return new ValidationError({ code: 'request.invalid', detail: 'A field is sent under two names.', issues });
}

function nothingToWrite(path: string): ValidationError {
  const detail = 'After the rules of the config no field is left to write.';
  return new ValidationError({ code: 'write.nothing-to-write', detail, issues: [{ in: 'body', name: path, detail }] });
}

/**
 * Whether a field is written, where to, with which value, and why: what `dryRun` shows.
 * Source: specification, Config Content (`selectedFieldSettings`) and Write records, rules 5 and 6.
 * @param why where the value comes from
 */
function decideField(rule: FieldRule, field: string, sent: JsonValue, why: string): FieldDecision {
  const { providerField, left, values, isIfEmpty } = rule;
  const where = providerField === undefined ? { field } : { field, providerField };
  if (left !== undefined) return { ...where, value: sent, reason: left, sent: false };
  // The delivered value becomes the provider's where mappings are inherited.
  const mapped = typeof sent === 'string' ? values?.get(sent) : undefined;
  let reason = why;
  if (mapped !== undefined) reason += '; the value is mapped by selectedValueMappings';
  if (isIfEmpty) reason += '; writeOnUpdate is ifEmpty: written only if the field is empty at the provider';
  return { ...where, value: mapped ?? sent, reason, sent: true };
}

/**
 * Refuses lists that would not arrive as they were sent. Only fields that are sent are checked. A value that is an object goes to the
 * provider, which refuses it itself.
 * @param separator of the provider's lists; undefined: it takes lists as they are
 * @throws ValidationError `request.invalid` with the path of each item, at most 20
 */
function checkLists(decisions: readonly FieldDecision[], separator: string | undefined, path: string): void {
  if (separator === undefined) return;
  const issues: Issue[] = [];
  for (const { field, value, sent } of decisions) {
    if (!sent || !Array.isArray(value)) continue;
    for (const [at, item] of value.entries()) {
      const detail = listItemRule(item, separator);
      if (detail !== undefined) issues.push({ in: 'body', name: pathOf(pathOf(path, field), at), detail });
      if (issues.length === limits.issuesMax) throw unwritable(issues);
    }
  }
  if (issues.length > 0) throw unwritable(issues);
}

function unwritable(issues: readonly Issue[]): ValidationError {
  const detail = 'A list holds an item that cannot be written as one of several values.';
  return new ValidationError({ code: 'request.invalid', detail, issues });
}

/** A part of a request with what a provider must have for it. */
interface Need {
  /** The part, as issues spell it. */
  readonly name: string;
  readonly what: string;
  readonly isOffered: (connector: Connector) => boolean;
}

/**
 * Refuses what the provider cannot do, before anything is stored. Capabilities are data: no code checks the name of a provider.
 * @param connectors every connector, so that the refusal names the providers that have what is missing
 * @throws ValidationError `write.capability-missing`, one issue per part of the request
 */
export function checkCapabilities(
  connector: Connector,
  request: WriteRequest,
  connectors: readonly Connector[] = [],
): void {
  refuseMissing(connector, needsOf(request), connectors);
}

/**
 * Refuses an integration whose manifest names a part of the provider that the connector does not reach. A record of another product of the provider
 * would be written to this one's address.
 * @param code of the refusal: `write.capability-missing`, `search.capability-missing`
 * @throws ValidationError
 */
export function checkModule(
  connector: Connector,
  module: string | undefined,
  code: 'write.capability-missing' | 'search.capability-missing',
): void {
  const unserved = unservedModule(connector, module);
  if (unserved === undefined) return;
  const remedy = 'Deploy the integration with a module that is served, or without one.';
  const issues: Issue[] = [{ in: 'path', name: 'integrationId', detail: unserved }];
  throw new ValidationError({ code, detail: `integrationId: in its manifest ${unserved}.`, issues, remedy });
}

/**
 * Refuses plans that leave a decision to the field's current value where the provider cannot be read by id.
 * @throws ValidationError `write.capability-missing`
 */
export function checkIfEmpty(
  connector: Connector,
  plans: readonly WritePlan[],
  connectors: readonly Connector[] = [],
): void {
  const field = plans.flatMap((plan) => plan.ifEmpty ?? [])[0];
  if (field === undefined) return;
  const what = `writeOnUpdate ifEmpty (${field})`;
  refuseMissing(connector, [{ name: 'type', what, isOffered: ({ capabilities }) => capabilities.ifEmpty }], connectors);
}

/** Records one provider call takes; undefined where the provider has no batch endpoint for the type. */
export function batchLimit(capabilities: Capabilities, type: WriteRequest['type']): number | undefined {
  const batch = type === 'create' ? capabilities.batchCreate : type === 'update' ? capabilities.batchUpdate : false;
  return batch === false ? undefined : batch.limit;
}

function needsOf(request: WriteRequest): Need[] {
  const { type, batch, headers } = request;
  const needs: Need[] = [];
  const need = (name: string, what: string, isOffered: Need['isOffered']): void => {
    needs.push({ name, what, isOffered });
  };
  if (type === 'delete') need('type', 'deletion through this service', ({ capabilities }) => capabilities.delete);
  else need('type', `${type} through this service`, (connector) => connector[type] !== undefined);
  if (batch !== undefined) {
    need('batch', `batches of ${type}`, ({ capabilities }) => batchLimit(capabilities, type) !== undefined);
  }
  if (hasAssociations(request)) {
    need('associations', `associations on ${type}`, ({ capabilities }) => sendsAssociations(capabilities, type));
  }
  if ((headers?.length ?? 0) > 0) {
    need('headers', 'forwarded headers', ({ capabilities }) => capabilities.forwardedHeaders);
  }
  return needs;
}

function refuseMissing(connector: Connector, needs: readonly Need[], all: readonly Connector[]): void {
  const { provider } = connector;
  const missing = needs.filter(({ isOffered }) => !isOffered(connector));
  if (missing.length === 0) return;
  const issues = missing.map(({ name, what, isOffered }): Issue => {
    const owners = all.filter(isOffered).map((each) => each.provider);
    const offeredBy = owners.length === 0 ? 'no provider' : owners.join(', ');
    return { in: 'body', name, detail: `${provider} does not offer ${what}; offered by ${offeredBy}` };
  });
  const detail = issues.map((issue) => issue.detail).join('. ');
  throw new ValidationError({ code: 'write.capability-missing', detail: `${detail}.`, issues });
}

function hasAssociations(request: WriteRequest): boolean {
  return (
    (request.associations?.length ?? 0) > 0 ||
    request.batch?.some((item) => (item.associations?.length ?? 0) > 0) === true
  );
}

function sendsAssociations(capabilities: Capabilities, type: WriteRequest['type']): boolean {
  if (capabilities.associations === false) return false;
  return type === 'create' ? capabilities.associations.create : capabilities.associations.update;
}
