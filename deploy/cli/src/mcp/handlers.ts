import { randomUUID } from 'node:crypto';
import { readExplanation, type SluiceClient } from '@sluice/client';
import type { AcceptedWriteReply, DryRunReply, SingleWriteReply, WriteRecord, WriteRequest } from '@sluice/types';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod';
import { renderExplanation } from '../explain/render-explanation';
import { CommandFailure } from '../failure';
import { given } from '../read-options';
import { describeFields, describeInstalled, describeUse, type Installed } from './describe';
import { fitting, reply, replyBytesMax, textReply } from './replies';
import type { createArguments, describeArguments, explainArguments, searchArguments } from './arguments';

/** Whom the agent works for, and by what. */
export interface Agent extends Pick<SluiceClient, 'management' | 'search'> {
  readonly groupRef: string;
  /** Absent: it may not write. */
  readonly write?: SluiceClient['write'];
}

export async function describeObjects(agent: Agent, asked: z.infer<typeof describeArguments>): Promise<CallToolResult> {
  const { management, groupRef } = agent;
  if (asked.object === undefined) {
    const all = await readInstalled(agent);
    const own = all.filter(({ integration: { id, name } }) => [undefined, id, name].includes(asked.integration));
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
  const { results } = await search.searchRecords({
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
    ...listed('records', records, 'Name the fields that you need, or more filters.'),
  });
}

export async function explainOperation(agent: Agent, asked: z.infer<typeof explainArguments>): Promise<CallToolResult> {
  const { management, groupRef } = agent;
  const { operationId, record } = asked;
  // A token sees its group's operations alone, an API key those of every group.
  const own = await management.listInstallationsForProject({ groupRef });
  const { installationId } = await management.getOperation({ operationId });
  if (!own.some(({ id }) => id === installationId)) {
    throw new CommandFailure(`There is no operation "${operationId}" of this customer.`);
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

interface AskedWrite extends z.infer<typeof createArguments> {
  /** Of an update. */
  readonly id?: string;
}

export async function writeRecord(agent: Required<Agent>, asked: AskedWrite): Promise<CallToolResult> {
  const { write, groupRef } = agent;
  const { object: objectName, id, dryRun, asynchronous, idempotencyKey = randomUUID() } = asked;
  const integrationId = asked.integration ?? (await findInstalled(agent, undefined)).integration.id;
  const record = { ...asked.fields, ...given({ id }) } as WriteRecord;
  const type = id === undefined ? 'create' : 'update';
  const body: WriteRequest = { groupRef, type, mode: asynchronous ? 'asynchronous' : 'synchronous', record };
  if (dryRun) {
    const { plan } = (await write.writeRecords({ integrationId, objectName, dryRun: 'true', body })) as DryRunReply;
    return reply({ written: false, dryRun: true, ...listed('plan', plan) });
  }
  // With a key the client may send the request again when its reply is lost.
  const answer = await write.writeRecords({ integrationId, objectName, body }, { idempotencyKey });
  return reply(describeWritten(answer as SingleWriteReply | AcceptedWriteReply));
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
  return await Promise.all(
    installations.map(async (installation) => {
      const { integrationId } = installation;
      return { installation, integration: await management.getIntegration({ integrationId }) };
    }),
  );
}

/** @param named id or name; undefined: the only one @throws CommandFailure with those that there are */
async function findInstalled(agent: Agent, named: string | undefined): Promise<Installed> {
  const all = await readInstalled(agent);
  const matching = all.filter(({ integration: { id, name } }) => [undefined, id, name].includes(named));
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only;
  const known = all.map(({ integration: { name } }) => name).join(', ');
  if (all.length === 0) throw new CommandFailure('The customer has no integration installed.');
  const asked = named === undefined ? 'must name one of' : `"${named}" is not one of`;
  throw new CommandFailure(`integration: ${asked} ${known}.`);
}

/** A list as far as there is room, with what is left out. */
function listed(member: string, items: readonly object[], narrower?: string): object {
  const shown = fitting(items);
  const left = items.length - shown.length;
  const why = `${left} of ${items.length} are left out: a reply holds at most ${replyBytesMax} bytes.`;
  return { [member]: shown, ...(left > 0 && { leftOut: [why, narrower].filter(Boolean).join(' ') }) };
}
