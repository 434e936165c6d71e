import { nearestName } from '@sluice/config';
import {
  fieldFault,
  fieldOfObject,
  unservedModule,
  type ConnectorRegistry,
  type FieldCapabilities,
} from '@sluice/connectors';
import { NotFoundError, ProviderError, type Issue } from '@sluice/errors';
import { fieldMappings, fieldSteps, limits, pathOf } from '@sluice/types';
import type {
  ConfigContent,
  Connection,
  Integration,
  ObjectMetadata,
  ReadObjectConfig,
  UpdateConfigContent,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { declaredObject, describeObject, findField } from '../integrations/object-metadata';

const issue = (name: string, detail: string, value: string): Issue => ({ in: 'body', name, detail, value });

/** Why a connection cannot carry an installation of this group and integration. */
export function connectionIssues(
  { id, group: { groupRef: own }, provider }: Connection,
  { groupRef, integration }: { readonly groupRef: string; readonly integration: Integration },
  name: string,
): Issue[] {
  const wanted = integration.provider;
  return [
    ...(own === groupRef ? [] : [issue(name, `belongs to the group ${own}, not to ${groupRef}`, id)]),
    ...(provider === wanted ? [] : [issue(name, `leads to ${provider}, and the integration is for ${wanted}`, id)]),
  ];
}

/** The parts of a content that contradict the integration's provider: its name, or features that it lacks. */
export function contentIssues(
  { connectors }: ManagementContext,
  integration: Integration,
  content: UpdateConfigContent,
  path: string,
): Issue[] {
  const { provider } = integration;
  const issues: Issue[] = [];
  if (content.provider !== undefined && content.provider !== provider) {
    issues.push(issue(`${path}.provider`, `must be ${provider}, the provider of the integration`, content.provider));
  }
  const capabilities = connectors.find(provider)?.capabilities;
  if (capabilities === undefined) return issues;
  issues.push(...nameIssues(integration, content, path, capabilities.fields));
  if (capabilities.ifEmpty) return issues;
  const detail = withoutIfEmpty(provider, connectors);
  return [...issues, ...ifEmptySettings(content, path).map((name) => issue(name, detail, 'ifEmpty'))];
}

/** Names in a content that can mean no field of the provider, whatever the account. A mapped name is the builder's own. */
function nameIssues(integration: Integration, content: UpdateConfigContent, path: string, fields: FieldCapabilities) {
  const { read, write } = content;
  const objects = new Set([read, write].flatMap((half) => Object.keys(half?.objects ?? {})));
  return [...objects].flatMap((name) => {
    const reading = read?.objects?.[name] ?? {};
    const { selectedFieldSettings, selectedValueDefaults } = write?.objects?.[name] ?? {};
    const declared = declaredObject(integration, name);
    const mapped = fieldMappings(declared, reading);
    const [ofRead, ofWrite] = ['read', 'write'].map((half) => pathOf(`${path}.${half}.objects`, name));
    const named = [
      ...namedFields({ integration, path }, name, reading),
      ...keysOf(reading.selectedValueMappings, `${ofRead}.selectedValueMappings`),
      ...keysOf(selectedFieldSettings, `${ofWrite}.selectedFieldSettings`),
      ...keysOf(selectedValueDefaults, `${ofWrite}.selectedValueDefaults`),
    ];
    return named.flatMap(({ field, path: at }) => {
      const fault = mapped.has(field) ? undefined : fieldFault(fields, declared?.objectName ?? name, field);
      return fault === undefined ? [] : [issue(at, fault, field)];
    });
  });
}

const keysOf = (map: Readonly<Record<string, unknown>> = {}, path: string): NamedField[] =>
  Object.keys(map).map((field) => ({ path: pathOf(path, field), field }));

/** A body is bounded; what many of them add up to is bounded here. */
export function sizeIssues(content: ConfigContent, name: string): Issue[] {
  const characters = JSON.stringify(content).length;
  const { configCharactersMax: max } = limits;
  const detail = `makes a config of ${characters} characters; at most ${max} are kept`;
  return characters <= max ? [] : [{ in: 'body', name, detail }];
}

/** A revision may be named, as the specification shows; the latest one is stored. */
export async function revisionIssues(
  { store }: ManagementContext,
  integration: Integration,
  revisionId: string | undefined,
  name: string,
): Promise<Issue[]> {
  if (revisionId === undefined) return [];
  const revision = await store.integrations.findRevision(integration.projectId, revisionId);
  if (revision?.integrationId === integration.id) return [];
  return [issue(name, 'must be a revision of this integration', revisionId)];
}

/** Source: specification, writeOnUpdate: "supported for provider X and provider Y only". */
function withoutIfEmpty(provider: string, connectors: ConnectorRegistry): string {
  const able = connectors.all().filter(({ capabilities }) => capabilities.ifEmpty);
  const who = able.map((connector) => connector.provider).join(', ') || 'none';
  return `is not possible on ${provider}, whose records cannot be read before an update; possible on: ${who}`;
}

/** Paths of the settings that say `ifEmpty`. */
function ifEmptySettings(content: UpdateConfigContent, path: string): string[] {
  return Object.entries(content.write?.objects ?? {}).flatMap(([objectName, { selectedFieldSettings = {} }]) =>
    Object.entries(selectedFieldSettings)
      .filter(([, { writeOnUpdate }]) => writeOnUpdate === 'ifEmpty')
      .map(([field]) =>
        [objectName, 'selectedFieldSettings', field, 'writeOnUpdate'].reduce(pathOf, `${path}.write.objects`),
      ),
  );
}

/** A config's content that is about to be stored, with the account it is for. */
export interface FieldCheck {
  readonly integration: Integration;
  readonly connection: Pick<Connection, 'id'>;
  readonly content: UpdateConfigContent;
  /** What is in force: a field that it names already is not asked about. Absent: all are. */
  readonly stored?: UpdateConfigContent;
  /** Where the content stands in the body. */
  readonly path: string;
  readonly traceparent: string;
}

/** The result for an account that is not asked. */
export const nothingAsked = { issues: [], warnings: [] };

/** A provider field that a config names, and where. */
interface NamedField {
  readonly path: string;
  readonly field: string;
  /** The provider's spelling. @default field */
  readonly spelled?: string;
}

/** Objects of one request whose fields are checked. Our choice: each is a call or two at the provider, and a form has a handful. */
const askedMax = 20;
/** Unknown fields that get a suggestion: an account has hundreds of fields, and each is compared. */
const nearestMax = 5;

/**
 * Names fields that the account does not have: those of mappings and of the selection of read objects. What cannot be asked is
 * no fault of the caller: it is taken, with a warning.
 * @returns what the account says against a content, and what could not be asked
 */
export async function fieldIssues(context: ManagementContext, check: FieldCheck) {
  const { projectId, provider, latestRevision } = check.integration;
  const account = { projectId, connectionId: check.connection.id, provider, traceparent: check.traceparent };
  const unserved = unservedModule(context.connectors.get(provider), latestRevision.content.module);
  const issues: Issue[] = [];
  const warnings: string[] = [];
  if (unserved !== undefined) return { issues, warnings: [`the fields were not checked: ${unserved}`] };
  const objects = Object.entries(check.content.read?.objects ?? {}).flatMap(([name, config]) => {
    const fields = newFields(check, name, config);
    return fields.length > 0 ? [{ name, fields }] : [];
  });
  for (const { name, fields } of objects.slice(0, askedMax)) {
    try {
      const objectName = declaredObject(check.integration, name)?.objectName ?? name;
      const metadata = await describeObject(context, { ...account, objectName });
      const fieldOf = fieldOfObject(context.connectors.get(provider).capabilities.fields, objectName);
      const spelled = fields.flatMap((one) => {
        const field = fieldOf(one.field);
        // A path that means none has been named already.
        return field === undefined ? [] : [{ ...one, spelled: field }];
      });
      issues.push(...unknownFields(metadata, spelled, name, issues.length));
    } catch (error) {
      if (error instanceof NotFoundError && error.code === 'object.not-found') {
        issues.push(issue(pathOf(`${check.path}.read.objects`, name), 'is not an object of the account', name));
      } else if (error instanceof ProviderError) {
        warnings.push(`the fields of ${name} were not checked: ${error.detail.replace(/\.$/, '')}`);
        // Nor would the account answer for another object.
        if (error.class !== 'forbidden') return { issues, warnings };
      } else throw error;
    }
  }
  if (objects.length > askedMax) warnings.push(`only the fields of the first ${askedMax} objects were checked`);
  return { issues, warnings };
}

/** Fields that a read object's config names, and the stored one does not. */
function newFields(check: FieldCheck, name: string, config: Partial<ReadObjectConfig>): NamedField[] {
  const stored = check.stored?.read?.objects?.[name];
  const known = new Set(stored === undefined ? [] : namedFields(check, name, stored).map(({ field }) => field));
  return namedFields(check, name, config).filter(({ field }) => !known.has(field));
}

/** The provider fields that a read object's config names: targets of mappings, and selected fields that are no mapped names. */
function namedFields(
  { integration, path }: Pick<FieldCheck, 'integration' | 'path'>,
  name: string,
  config: Partial<ReadObjectConfig>,
): NamedField[] {
  const here = pathOf(`${path}.read.objects`, name);
  const mapped = fieldMappings(declaredObject(integration, name), config);
  const targets = Object.entries(config.selectedFieldMappings ?? {})
    .filter(([, field]) => field !== '')
    .map(([mapTo, field]) => ({ path: pathOf(`${here}.selectedFieldMappings`, mapTo), field }));
  const dynamic = (config.dynamicMappingsInput ?? []).flatMap(({ fieldName }, index) =>
    fieldName === undefined ? [] : [{ path: `${here}.dynamicMappingsInput[${index}].fieldName`, field: fieldName }],
  );
  const selected = Object.keys(config.selectedFields ?? {})
    .filter((field) => !mapped.has(field))
    .map((field) => ({ path: pathOf(`${here}.selectedFields`, field), field }));
  return [...targets, ...dynamic, ...selected];
}

function unknownFields(metadata: ObjectMetadata, fields: readonly NamedField[], name: string, found: number): Issue[] {
  const known = Object.keys(metadata.fields);
  const unknown = fields.filter(({ field, spelled = field }) => !isKnown(metadata, spelled)).slice(0, limits.issuesMax);
  return unknown.map(({ path, field }, index) => {
    const nearest = found + index < nearestMax ? nearestName(field, known) : undefined;
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return { in: 'body', name: path, detail: `is not a field of ${name} at this account${hint}`, value: field };
  });
}

/** Of a path through a reference (`Account.Name`) the metadata of this object says nothing. */
function isKnown(metadata: ObjectMetadata, field: string): boolean {
  const [first = field] = fieldSteps(field);
  return first.includes('.') || (findField(metadata, field) ?? findField(metadata, first)) !== undefined;
}
