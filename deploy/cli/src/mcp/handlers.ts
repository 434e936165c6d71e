import { createHash, randomUUID } from 'node:crypto';
import { readExplanation, SluiceNotFoundError, type SluiceClient } from '@sluice/client';
import type {
  AcceptedWriteReply,
  DryRunReply,
  Integration,
  Operation,
  SingleWriteReply,
  WriteRecord,
  WriteRequest,
} from '@sluice/types';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod';
import { renderExplanation } from '../explain/render-explanation';
import { CommandFailure } from '../failure';
import { given } from '../read-options';
import { describeFields, describeInstalled, describeUse, type Installed } from './describe';
import { answering, fitting, reply, replyBytesMax, textReply } from './replies';
import type { createArguments, describeArguments, explainArguments, searchArguments } from './arguments';

/** Integrations that are read at the same time. Our choice: a group has few, and a call of a tool must not be a burst. */
const readsAtATime = 8;

const repeat =
  'A repeat of this call must carry this idempotencyKey and the same arguments, or the record may be written twice. For other arguments leave it out.';

/** Whom the agent works for, and by what. */
export interface Agent extends Pick<SluiceClient, 'management' | 'search'> {
  readonly groupRef: string;
  /** Absent: it may not write. */
  readonly write?: SluiceClient['write'];
}

export async function describeObjects(agent: Agent, asked: z.infer<typeof describeArguments>): Promise<CallToolResult> {
  const { management, groupRef } = agent;
  if (asked.object === undefined) {
    const own = await readMatching(agent, asked.integration);
    return reply({
      group: groupRef,
      writesAllowed: agent.write !== undefined,
      ...listed('integrations', own.map(describeInstalled)),
    });
  }
  const installed = await findInstalled(agent, asked.integration);
  const { id: integrationId, name: integrationName } = installed.integration;
  const metadata = await management.getObjectMetadataForInstallation({
    integrationId,
    objectName: asked.object,
    groupRef,
  });
  const { fields, ...names } = describeFields(installed, metadata, asked);
  return reply({
    integration: integrationName,
    ...describeUse(installed, asked.object),
    ...names,
    ...listed('fields', fields, 'Ask with nameContains or writableOnly.'),
  });
}

export async function searchRecords(agent: Agent, asked: z.infer<typeof searchArguments>): Promise<CallToolResult> {
  const { search, groupRef } = agent;
  const integrationId = asked.integration ?? (await findInstalled(agent, undefined)).integration.id;
  const fieldFilters = asked.filters.map(({ field, value }) => ({ fieldName: field, operator: 'eq' as const, value }));
  const { results, truncated } = await search.searchRecords({
    integrationId,
    groupRef,
    body: { objectName: asked.object, fieldFilters },
  });
  const only = asked.fields && new Set(asked.fields);
  const pick = (record: Readonly<Record<string, unknown>>) =>
    only === undefined ? record : Object.fromEntries(Object.entries(record).filter(([field]) => only.has(field)));
  const records = results
    .slice(0, asked.limit)
    .map(({ id, fields, mappedFields }) => ({ id, fields: pick(fields), mappedFields: pick(mappedFields) }));
  return reply({
    found: results.length,
    ...(truncated && { truncated, hint: 'The provider has more that match: name more filters.' }),
    ...listed('records', records, 'Name the fields that you need, or more filters.'),
  });
}

export async function explainOperation(agent: Agent, asked: z.infer<typeof explainArguments>): Promise<CallToolResult> {
  const { management, groupRef } = agent;
  const { operationId, record } = asked;
  // A token sees its group's operations alone, an API key those of every group.
  const own = await management.listInstallationsForProject({ groupRef });
  const operation = await findOperation(agent, operationId);
  if (!own.some(({ id }) => id === operation?.installationId)) {
    throw new CommandFailure(
      `operationId: there is no operation "${operationId}" of this customer, or it is no longer kept.`,
    );
  }
  const all = await readExplanation(management, operationId);
  const records = record === undefined ? all.records : all.records.filter(({ index }) => index === record);
  if (records.length === 0 && record !== undefined) {
    throw new CommandFailure(
      `record: there is no record ${record} in this operation, which has ${all.records.length}, from 0 on.`,
    );
  }
  return textReply(renderExplanation({ ...all, records }));
}

async function findOperation({ management }: Agent, operationId: string): Promise<Operation | undefined> {
  try {
    return await management.getOperation({ operationId });
  } catch (error) {
    if (error instanceof SluiceNotFoundError && error.code === 'operation.not-found') return undefined;
    throw error;
  }
}

interface AskedWrite extends z.infer<typeof createArguments> {
  /** Of an update. */
  readonly id?: string;
}

/** Also when it fails the agent learns the key: with it the call can be repeated. A dry run has none, because it writes nothing. */
export async function writeRecord(agent: Required<Agent>, asked: AskedWrite): Promise<CallToolResult> {
  if (asked.dryRun) return await answering(async () => reply(await planWrite(agent, asked)));
  const { idempotencyKey = randomUUID() } = asked;
  const repeatable = { idempotencyKey, repeat };
  const write = async () => reply({ ...repeatable, ...(await sendWrite(agent, asked, idempotencyKey)) });
  return await answering(write, repeatable);
}

async function planWrite(agent: Required<Agent>, asked: AskedWrite): Promise<object> {
  const request = await requestOf(agent, asked);
  const { plan } = (await agent.write.writeRecords({ ...request, dryRun: 'true' })) as DryRunReply;
  return { written: false, dryRun: true, ...listed('plan', plan) };
}

async function sendWrite(agent: Required<Agent>, asked: AskedWrite, key: string): Promise<object> {
  const request = await requestOf(agent, asked);
  // With a key the client may send the request again when its reply is lost.
  const answer = await agent.write.writeRecords(request, { idempotencyKey: sentKey(agent.groupRef, key) });
  return describeWritten(answer as SingleWriteReply | AcceptedWriteReply);
}

async function requestOf(agent: Agent, { integration, object: objectName, fields, id, asynchronous }: AskedWrite) {
  const integrationId = integration ?? (await findInstalled(agent, undefined)).integration.id;
  const record = { ...fields, ...given({ id }) } as WriteRecord;
  const type = id === undefined ? 'create' : 'update';
  const mode = asynchronous ? 'asynchronous' : 'synchronous';
  const body: WriteRequest = { groupRef: agent.groupRef, type, mode, record };
  return { integrationId, objectName, body };
}

/** Groups of a project share the keys of an API key: one must not take those of another, nor learn of them. No group has a NUL in its name. */
function sentKey(groupRef: string, key: string): string {
  return createHash('sha256').update(`${groupRef}\0${key}`).digest('hex');
}

function describeWritten(answer: SingleWriteReply | AcceptedWriteReply): object {
  const { operationId } = answer;
  if (!('result' in answer)) return { accepted: true, operationId, next: 'explain_operation shows how far it is.' };
  const { recordId, data, warnings } = answer.result;
  const [record] = fitting([data]);
  const isLeftOut = data !== undefined && record === undefined;
  const leftOut = 'The record is larger than a reply may be: search for the fields that you need.';
  return { written: true, recordId, operationId, warnings, record, ...(isLeftOut && { leftOut }) };
}

/** What the group has installed, with the integrations. */
async function readInstalled({ management, groupRef }: Agent): Promise<readonly Installed[]> {
  const installations = await management.listInstallationsForProject({ groupRef });
  const ids = [...new Set(installations.map(({ integrationId }) => integrationId))];
  const integrations: Integration[] = [];
  while (integrations.length < ids.length) {
    const next = ids.slice(integrations.length, integrations.length + readsAtATime);
    integrations.push(
      ...(await Promise.all(next.map((integrationId) => management.getIntegration({ integrationId })))),
    );
  }
  return installations.map((installation) => {
    return { installation, integration: integrations[ids.indexOf(installation.integrationId)] as Integration };
  });
}

/** @param named id or name; undefined: all of them @throws CommandFailure with those that there are */
async function readMatching(agent: Agent, named: string | undefined): Promise<readonly Installed[]> {
  const all = await readInstalled(agent);
  if (named === undefined) return all;
  const matching = all.filter(({ integration: { id, name } }) => id === named || name === named);
  if (matching.length === 0) throw refused(`"${named}" is not one of`, all);
  return matching;
}

/** @param named id or name; undefined: the only one @throws CommandFailure with those that there are */
async function findInstalled(agent: Agent, named: string | undefined): Promise<Installed> {
  const matching = await readMatching(agent, named);
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only;
  throw refused('must name one of', matching);
}

function refused(rule: string, installed: readonly Installed[]): CommandFailure {
  if (installed.length === 0) return new CommandFailure('The customer has no integration installed.');
  const known = installed.map(({ integration: { name } }) => name).join(', ');
  return new CommandFailure(`integration: ${rule} ${known}.`);
}

/** A list as far as there is room, with what is left out. */
function listed(member: string, items: readonly object[], narrower?: string): object {
  const shown = fitting(items);
  const left = items.length - shown.length;
  const why = `${left} of ${items.length} are left out: a reply holds at most ${replyBytesMax} bytes.`;
  return { [member]: shown, ...(left > 0 && { leftOut: [why, narrower].filter(Boolean).join(' ') }) };
}
