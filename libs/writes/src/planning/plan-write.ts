import { ValidationError, type Issue } from '@sluice/errors';
import {
  recordIdOf,
  toProviderValue,
  type FieldDecision,
  type FieldMappings,
  type InstallationContext,
  type JsonValue,
  type WritePlan,
} from '@sluice/types';
import type { Association, ForwardedHeader, WriteRecord, WriteType } from '@sluice/types';
import { defaultsOf } from './field-defaults';
import { inheritedMappings } from './inherited-mappings';

/** One record of a request, with what goes with it. */
export interface PlannableWrite {
  readonly type: WriteType;
  readonly objectName: string;
  readonly record: WriteRecord;
  readonly associations?: readonly Association[];
  readonly headers?: readonly ForwardedHeader[];
  /** Path of the record in the request, for issues: `record` or `batch[3].record`. */
  readonly path: string;
}

/** The plan, and the reason for each field in it or left out of it. */
export interface PlannedWrite {
  readonly plan: WritePlan;
  readonly decisions: readonly FieldDecision[];
}

interface Field {
  readonly name: string;
  readonly value: JsonValue;
  readonly reason: string;
}

/**
 * Applies an installation's config to one record: defaults, `writeOnCreate` and `writeOnUpdate`, mappings, value mappings.
 * Pure: the same record and context give the same plan.
 * Source: specification, Write records, rules 5 and 6; silent points in rulings.
 * @throws ValidationError when a mapped and a provider name mean one field, or nothing is left of a create
 */
export function planWrite(context: InstallationContext, write: PlannableWrite): PlannedWrite {
  const { type, record, objectName } = write;
  const recordId = type === 'create' ? undefined : recordIdOf(record);
  const mappings = inheritedMappings(context, objectName);
  const sent = Object.entries(record).filter(([name]) => type === 'create' || name !== 'id');
  const present = refuseAmbiguous(
    sent.map(([name]) => name),
    mappings,
    write.path,
  );
  const fields: Field[] = [
    ...sent.map(([name, value]) => ({ name, value, reason: 'sent in the request' })),
    ...defaultsOf(context, objectName, type, (name) => present.has(targetOf(name, mappings))),
  ];
  const decisions = fields.map((field) => decide(context, write, field, mappings));
  const plan: WritePlan = {
    type,
    objectName,
    ...(recordId === undefined ? {} : { recordId }),
    fields: Object.fromEntries(decisions.filter((d) => d.sent).map((d) => [d.providerField, d.value])),
    ...ifEmptyOf(context, write, decisions),
    ...(write.associations === undefined ? {} : { associations: write.associations }),
    ...(write.headers === undefined ? {} : { headers: write.headers }),
  };
  if (type === 'create' && Object.keys(plan.fields).length === 0) throw nothingToWrite(write.path);
  return { plan, decisions };
}

function decide(
  context: InstallationContext,
  write: PlannableWrite,
  field: Field,
  mappings: FieldMappings | undefined,
): FieldDecision {
  const { type, objectName } = write;
  const isMapped = mappings?.has(field.name) === true;
  const providerField = targetOf(field.name, mappings);
  const left = (reason: string): FieldDecision => {
    return { field: field.name, providerField, value: field.value, reason, sent: false };
  };
  const setting = context.config.write?.objects?.[objectName]?.selectedFieldSettings?.[field.name];
  if (type === 'create' && setting?.writeOnCreate === 'never') return left('writeOnCreate is never');
  if (type === 'update' && setting?.writeOnUpdate === 'never') return left('writeOnUpdate is never');
  if (isMapped && mappings?.get(field.name) === undefined) return left('the user left this mapping unset');
  const isKnown = isMapped || [...(mappings?.values() ?? [])].includes(field.name);
  if (mappings !== undefined && context.dropUnmappedFields && !isKnown) return left('dropUnmappedFields is on');
  const readConfig = context.config.read?.objects?.[objectName];
  // The delivered value becomes the provider's where mappings are inherited.
  const value = mappings === undefined ? field.value : toProviderValue(readConfig, providerField, field.value);
  return { field: field.name, providerField, value, reason: field.reason, sent: true };
}

function ifEmptyOf(
  context: InstallationContext,
  write: PlannableWrite,
  decisions: readonly FieldDecision[],
): { ifEmpty?: string[] } {
  if (write.type !== 'update') return {};
  const settings = context.config.write?.objects?.[write.objectName]?.selectedFieldSettings ?? {};
  const fields = decisions
    .filter((decision) => decision.sent && settings[decision.field]?.writeOnUpdate === 'ifEmpty')
    .map((decision) => decision.providerField);
  return fields.length === 0 ? {} : { ifEmpty: fields };
}

/** The provider field that a name means; the name itself when it is not mapped or its mapping is unset. */
function targetOf(name: string, mappings: FieldMappings | undefined): string {
  return mappings?.get(name) ?? name;
}

/** @returns the provider fields that the names mean, each meant once */
function refuseAmbiguous(
  names: readonly string[],
  mappings: FieldMappings | undefined,
  path: string,
): ReadonlyMap<string, string> {
  const nameOf = new Map<string, string>();
  const issues: Issue[] = [];
  for (const name of names) {
    const target = targetOf(name, mappings);
    const other = nameOf.get(target);
    if (other === undefined) nameOf.set(target, name);
    else
      issues.push({
        in: 'body',
        name: `${path}.${name}`,
        detail: `means the same field as ${other}; send one of the two`,
      });
  }
  if (issues.length === 0) return nameOf;
  throw new ValidationError({ code: 'request.invalid', detail: 'A field is sent under two names.', issues });
}

function nothingToWrite(path: string): ValidationError {
  const detail = 'After the rules of the config no field is left to write.';
  return new ValidationError({ code: 'write.nothing-to-write', detail, issues: [{ in: 'body', name: path, detail }] });
}
