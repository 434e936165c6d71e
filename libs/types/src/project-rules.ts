import type { Issue } from '@sluice/errors';
import { bodyIssue } from './body-issue';
import type { CreateProjectRequest, UpdateProjectRequest } from './project';

const looksLikeId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Rules of a create-project body, after its schema. */
export function checkCreateProjectRequest(body: CreateProjectRequest): Issue[] {
  return checkName(body.name, 'name');
}

/** Rules of an update-project body, after its schema: a value for each masked field. */
export function checkUpdateProjectRequest({ updateMask, project }: UpdateProjectRequest): Issue[] {
  const missing = updateMask.flatMap((field, index) =>
    project[field] === undefined ? [bodyIssue(`updateMask[${index}]`, 'has no value in project', field)] : [],
  );
  return [...missing, ...checkName(project.name, 'project.name')];
}

/** Spec is silent; we chose that a name must not look like an id, because both stand in the same place of a path. */
function checkName(name: string | undefined, path: string): Issue[] {
  return name !== undefined && looksLikeId.test(name) ? [bodyIssue(path, 'must not have the form of an id', name)] : [];
}
