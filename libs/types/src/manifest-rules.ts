import type { Issue } from '@sluice/errors';
import { bodyIssue } from './body-issue';
import { isCronSchedule } from './cron-schedule';
import { pathOf } from './field-names';
import { jsonPathFault } from './field-path';
import type { IntegrationField } from './integration-field';
import type { Manifest, ManifestIntegration, ManifestReadObject } from './manifest';

/** Rules of a whole manifest that the schema cannot say. `path` is where it stands in the body, '' for the body itself. */
export function checkManifest(manifest: Manifest, path = ''): Issue[] {
  const list = pathOf(path, 'integrations');
  const names = manifest.integrations.map(({ name }) => name);
  return [
    ...checkUnique(names, list, 'name'),
    ...manifest.integrations.flatMap((integration, index) =>
      checkManifestIntegration(integration, pathOf(list, index)),
    ),
  ];
}

/** Rules of one integration: no object twice, each field named, a mapped name used once, a readable schedule. */
export function checkManifestIntegration(integration: ManifestIntegration, path = ''): Issue[] {
  const read = integration.read?.objects ?? [];
  const write = integration.write?.objects ?? [];
  const readPath = pathOf(pathOf(path, 'read'), 'objects');
  const writePath = pathOf(pathOf(path, 'write'), 'objects');
  return [
    ...checkUnique(
      read.map(({ objectName }) => objectName),
      readPath,
      'objectName',
    ),
    ...checkUnique(
      write.map(({ objectName }) => objectName),
      writePath,
      'objectName',
    ),
    ...read.flatMap((object, index) => checkReadObject(object, pathOf(readPath, index))),
    ...checkStored(integration, path),
  ];
}

/** `subscribe` and `watchSchema`: their form is the schema's, what is left is an object twice and the schedule. */
function checkStored({ subscribe, watchSchema }: ManifestIntegration, path: string): Issue[] {
  const subscribed = (subscribe?.['objects'] ?? []) as readonly { readonly objectName: string }[];
  const names = subscribed.map(({ objectName }) => objectName);
  const issues = checkUnique(names, pathOf(pathOf(path, 'subscribe'), 'objects'), 'objectName');
  const schedule = watchSchema?.['schedule'];
  if (typeof schedule === 'string' && schedule !== '' && !isCronSchedule(schedule)) {
    issues.push(bodyIssue(`${pathOf(path, 'watchSchema')}.schedule`, cronRule, schedule));
  }
  return issues;
}

const cronRule = 'must be cron syntax of five fields';

function checkReadObject(object: ManifestReadObject, path: string): Issue[] {
  const issues = [
    ...checkFields(object.requiredFields ?? [], `${path}.requiredFields`),
    ...checkFields(object.optionalFields ?? [], `${path}.optionalFields`),
  ];
  const fields = [...(object.requiredFields ?? []), ...(object.optionalFields ?? [])];
  const mapped = fields.flatMap(({ mapToName }) => (mapToName === undefined ? [] : [mapToName]));
  const twice = firstTwice(mapped);
  if (twice !== undefined) issues.push(bodyIssue(path, `maps two fields to ${twice}`, twice));
  if (object.schedule && !isCronSchedule(object.schedule)) {
    issues.push(bodyIssue(`${path}.schedule`, cronRule, object.schedule));
  }
  return issues;
}

function checkFields(fields: readonly IntegrationField[], path: string): Issue[] {
  return fields.flatMap((field, index) => {
    const here = pathOf(path, index);
    if (field.fieldName === undefined && field.mapToName === undefined) {
      return [bodyIssue(here, 'needs fieldName, or mapToName when the user chooses the field')];
    }
    return (['fieldName', 'mapToName'] as const).flatMap((member) => {
      const name = field[member];
      const fault = name === undefined ? undefined : jsonPathFault(name);
      return fault === undefined ? [] : [bodyIssue(`${here}.${member}`, fault, name)];
    });
  });
}

function checkUnique(names: readonly string[], path: string, member: string): Issue[] {
  const twice = firstTwice(names);
  if (twice === undefined) return [];
  return [bodyIssue(`${pathOf(path, names.lastIndexOf(twice))}.${member}`, `repeats ${twice}`, twice)];
}

function firstTwice(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
