import type { Issue } from '@sluice/errors';
import { bodyIssue } from './body-issue';
import type { UpdateConfigContent } from './config-content';
import { isCronSchedule } from './cron-schedule';
import { checkNames, isHostileName, pathOf } from './field-names';
import { limits } from './limits';
import type { ReadFilter, ReadObjectConfig } from './read-config';

/**
 * Rules of a config's content that its schema cannot say. Call it with content the schema accepts.
 * What needs the provider or the manifest (`ifEmpty`, known objects) is checked by management.
 * @param path where the content stands in the body: `config.content`
 */
export function checkConfigContent(content: UpdateConfigContent, path: string): Issue[] {
  const issues = [
    ...checkNames(content, path),
    ...checkKeys(content.read?.objects, `${path}.read.objects`),
    ...checkKeys(content.write?.objects, `${path}.write.objects`),
    ...Object.entries(content.read?.objects ?? {}).flatMap(([name, object]) =>
      checkReadObject(object, pathOf(`${path}.read.objects`, name)),
    ),
  ];
  return issues.slice(0, limits.issuesMax);
}

/** Two names for one object would leave open which one rules. */
function checkKeys(objects: Readonly<Record<string, { objectName?: string }>> | undefined, path: string): Issue[] {
  return Object.entries(objects ?? {})
    .filter(([name, { objectName }]) => objectName !== undefined && name !== objectName)
    .map(([name, { objectName }]) =>
      bodyIssue(`${pathOf(path, name)}.objectName`, `must be ${name}, the key of the entry`, objectName),
    );
}

function checkReadObject(object: Partial<ReadObjectConfig>, path: string): Issue[] {
  const issues = [
    ...checkMappings(object.selectedFieldMappings, `${path}.selectedFieldMappings`),
    ...checkFilters(object.fieldFilters, `${path}.fieldFilters`),
    ...checkFilters(object.backfill?.fieldFilters, `${path}.backfill.fieldFilters`),
  ];
  if (object.schedule && !isCronSchedule(object.schedule)) {
    issues.push(bodyIssue(`${path}.schedule`, 'must be cron syntax of five fields', object.schedule));
  }
  return issues;
}

/** The provider's name of a field becomes the key of a write: it obeys the rule of keys. */
function checkMappings(mappings: ReadObjectConfig['selectedFieldMappings'] = {}, path: string): Issue[] {
  return Object.entries(mappings)
    .filter(([, field]) => isHostileName(field))
    .map(([name, field]) => bodyIssue(pathOf(path, name), 'leads to a name that is not allowed', field));
}

/** Source: specification, fieldFilters: each field can have only one condition. */
function checkFilters(filters: readonly ReadFilter[] = [], path: string): Issue[] {
  const names = filters.map(({ fieldName }) => fieldName);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [bodyIssue(`${pathOf(path, index)}.fieldName`, 'repeats a field; each can have only one condition', name)],
  );
}
