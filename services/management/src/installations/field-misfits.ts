import { nearestName } from '@sluice/config';
import { unservedModule } from '@sluice/connectors';
import { NotFoundError, ProviderError, type Issue } from '@sluice/errors';
import {
  fieldMappings,
  fieldSteps,
  limits,
  pathOf,
  type Connection,
  type Integration,
  type ObjectMetadata,
  type ReadObjectConfig,
  type UpdateConfigContent,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { describeObject, findField } from '../integrations/describe-object';

/** A config's content that is about to be stored, with the account it is for. */
export interface FieldCheck {
  readonly integration: Integration;
  readonly connection: Pick<Connection, 'id'>;
  readonly content: UpdateConfigContent;
  /** Where the content stands in the body. */
  readonly path: string;
  readonly traceparent: string;
}

/** What the account says against a content, and what could not be asked. */
export interface FieldMisfits {
  readonly issues: readonly Issue[];
  readonly warnings: readonly string[];
}

/** A provider field that a config names, and where. */
interface NamedField {
  readonly path: string;
  readonly field: string;
}

/** Objects of one request that are asked for. Ours: each is a call or two at the provider, and a form has a handful. */
const askedMax = 20;
/** Unknown fields for which the nearest one is looked for: an account has hundreds, and each is compared. */
const nearestMax = 5;

/**
 * Names fields that the account does not have: those of mappings and of the selection of read objects. What cannot be asked is
 * no fault of the caller: it is taken, with a warning.
 */
export async function fieldMisfits(context: ManagementContext, check: FieldCheck): Promise<FieldMisfits> {
  const { provider, latestRevision } = check.integration;
  const unserved = unservedModule(context.connectors.get(provider), latestRevision.content.module);
  if (unserved !== undefined) return { issues: [], warnings: [`the fields were not checked: ${unserved}`] };
  const issues: Issue[] = [];
  const warnings: string[] = [];
  const objects = Object.entries(check.content.read?.objects ?? {}).flatMap(([name, config]) => {
    const fields = namedFields(check, name, config);
    return fields.length > 0 ? [{ name, fields }] : [];
  });
  for (const { name, fields } of objects.slice(0, askedMax)) {
    const answer = await ask(context, check, name);
    if ('metadata' in answer) issues.push(...unknownFields(answer.metadata, fields, name, issues.length));
    else if ('issue' in answer) issues.push(answer.issue);
    else {
      warnings.push(`the fields of ${name} were not checked: ${answer.warning}`);
      if (answer.isOfAccount) return { issues, warnings };
    }
  }
  if (objects.length > askedMax) warnings.push(`only the fields of the first ${askedMax} objects were checked`);
  return { issues, warnings };
}

type Answer =
  | { readonly metadata: ObjectMetadata }
  | { readonly issue: Issue }
  | { readonly warning: string; readonly isOfAccount: boolean };

async function ask(context: ManagementContext, check: FieldCheck, name: string): Promise<Answer> {
  const { integration, connection, traceparent } = check;
  const { projectId, provider } = integration;
  const objectName = declaredObject(integration, name)?.objectName ?? name;
  try {
    const question = { projectId, connectionId: connection.id, provider, objectName, traceparent };
    return { metadata: await describeObject(context, question) };
  } catch (error) {
    if (error instanceof NotFoundError && error.code === 'object.not-found') {
      const detail = 'is not an object of the account';
      return { issue: { in: 'body', name: pathOf(`${check.path}.read.objects`, name), detail, value: name } };
    }
    if (!(error instanceof ProviderError)) throw error;
    return { warning: error.detail.replace(/\.$/, ''), isOfAccount: error.class !== 'forbidden' };
  }
}

/** What a read object's config names: targets of mappings, and selected fields that are no mapped names. */
function namedFields({ integration, path }: FieldCheck, name: string, config: Partial<ReadObjectConfig>): NamedField[] {
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

function declaredObject({ latestRevision }: Integration, name: string) {
  const objects = latestRevision.content.read?.objects ?? [];
  return objects.find(({ objectName, mapToName }) => objectName === name || mapToName === name);
}

function unknownFields(metadata: ObjectMetadata, fields: readonly NamedField[], name: string, found: number): Issue[] {
  const known = Object.keys(metadata.fields);
  const unknown = fields.filter(({ field }) => !isKnown(metadata, field)).slice(0, limits.issuesMax);
  return unknown.map(({ path, field }, index) => {
    const nearest = found + index < nearestMax ? nearestName(field, known) : undefined;
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return { in: 'body', name: path, detail: `is not a field of ${name} at this account${hint}`, value: field };
  });
}

/** Of a path through a reference (`Account.Name`) the metadata of this object says nothing. */
function isKnown(metadata: ObjectMetadata, field: string): boolean {
  const [first = field] = fieldSteps(field);
  return first.includes('.') || findField(metadata, first) !== undefined;
}
