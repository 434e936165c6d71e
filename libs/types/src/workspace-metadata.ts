import type { Issue } from '@sluice/errors';
import { bodyIssue } from './problem';
import type { Connection, ProviderMetadataItem } from './connection';
import { limits } from './limits';

/**
 * The other name of `providerWorkspaceRef`: published clients ask users for it as an input of this name, send it in
 * `providerMetadata`, and look for it there. Source: published API, ProviderInfo.metadata; @amp-labs/react 2.16.1.
 */
export const workspaceInput = 'workspace';

/** A request that may name the workspace under either name. */
interface WorkspaceNames {
  readonly providerWorkspaceRef?: string;
  readonly providerMetadata?: Readonly<Record<string, ProviderMetadataItem>>;
}

/** The workspace that a request names. An empty text is what a form sends whose field was emptied: it names none. */
export function namedWorkspace({ providerWorkspaceRef, providerMetadata }: WorkspaceNames): string | undefined {
  return [providerWorkspaceRef, valueIn(providerMetadata)].find((ref) => ref !== undefined && ref !== '');
}

/**
 * Rules of a request's account metadata: not too large, and a workspace under either name that is a reference, under both the same.
 * @param path of the request in its body, with its dot
 */
export function checkNamedWorkspace(request: WorkspaceNames, path = ''): Issue[] {
  const bytes = metadataBytes(request.providerMetadata);
  const { providerMetadataBytesMax: bytesMax } = limits;
  if (bytes > bytesMax) {
    const detail = `must have at most ${bytesMax} bytes as JSON, and has ${bytes}: keep here what the provider's address needs`;
    return [bodyIssue(`${path}providerMetadata`, detail)];
  }
  const [ref, value] = [request.providerWorkspaceRef ?? '', valueIn(request.providerMetadata) ?? ''];
  const [refName, valueName] = [`${path}providerWorkspaceRef`, `${path}providerMetadata.${workspaceInput}.value`];
  const issues = [
    ...(ref === '' ? [] : checkWorkspaceRef(ref, refName)),
    ...(value === '' ? [] : checkWorkspaceRef(value, valueName)),
  ];
  if (issues.length > 0 || ref === '' || value === '' || isSameWorkspace(ref, value)) return issues;
  return [bodyIssue(valueName, `must name the same workspace as ${refName}, of which it is an alias`, value)];
}

/** Bytes of metadata as it is stored. */
export function metadataBytes(metadata: Connection['providerMetadata']): number {
  return metadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(metadata));
}

/** The request with its workspace under both names, or under none. */
export function withNamedWorkspace<T extends WorkspaceNames>(request: T): T {
  const { providerWorkspaceRef: _ref, providerMetadata: given, ...rest } = request;
  const workspaceRef = namedWorkspace(request);
  const { [workspaceInput]: item, ...others } = given ?? {};
  const providerMetadata =
    workspaceRef === undefined ? given && others : { ...others, ...itemOf(workspaceRef, item, 'input') };
  return { ...rest, providerWorkspaceRef: workspaceRef, providerMetadata } as T;
}

/** A connection's metadata as it is shown: with its workspace, which the provider reported unless its source is known. */
export function shownMetadata(
  stored: Connection['providerMetadata'],
  workspaceRef: string | undefined,
): Connection['providerMetadata'] {
  if (workspaceRef === undefined) return stored;
  return { ...stored, ...itemOf(workspaceRef, itemIn(stored), 'provider') };
}

function itemOf(value: string, known: ProviderMetadataItem | undefined, source: ProviderMetadataItem['source']) {
  return { [workspaceInput]: { source, ...known, value } };
}

function itemIn(metadata: Connection['providerMetadata']): ProviderMetadataItem | undefined {
  return metadata !== undefined && Object.hasOwn(metadata, workspaceInput) ? metadata[workspaceInput] : undefined;
}

function valueIn(metadata: Connection['providerMetadata']): string | undefined {
  return itemIn(metadata)?.value;
}

/** A label of a host name. Source: RFC 1035, section 2.3.4. */
const label = /^[a-z0-9-]{1,63}$/i;
/** Our choice: a host name has at most 127 labels, and no provider's workspace has more than a few. */
const labelsMax = 8;

/**
 * Rule of a workspace reference: dot-separated labels, because a provider's host name may be built from it, and a token
 * is sent there. Case does not count.
 */
export function checkWorkspaceRef(workspaceRef: string | undefined, path = 'providerWorkspaceRef'): Issue[] {
  const labels = workspaceRef?.split('.') ?? [];
  if (labels.length <= labelsMax && labels.every((one) => label.test(one))) return [];
  const detail = 'must be letters, digits and hyphens, in parts joined by dots, such as acme--uat.sandbox';
  return [bodyIssue(path, detail, workspaceRef?.slice(0, 80))];
}

/** Whether two references name one workspace. */
export function isSameWorkspace(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
