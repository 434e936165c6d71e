import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createArguments, describeArguments, explainArguments, searchArguments, updateArguments } from './arguments';
import { describeObjects, explainOperation, searchRecords, writeRecord, type Agent } from './handlers';
import { answering } from './replies';

const reads = { readOnlyHint: true, openWorldHint: true };

/** Tools that change nothing. */
export function addReadTools(server: McpServer, agent: Agent): void {
  server.registerTool(
    'describe_objects',
    {
      title: 'Describe objects',
      description:
        "Lists the customer's integrations with their objects, and whether each can be searched and written. With `object`: its fields as the customer's account has them now.",
      inputSchema: describeArguments,
      annotations: reads,
    },
    (asked) => answering(() => describeObjects(agent, asked)),
  );
  server.registerTool(
    'search_records',
    {
      title: 'Search records',
      description:
        "Finds records in the customer's account by equality of fields. One page of the provider's results, with no next page.",
      inputSchema: searchArguments,
      annotations: reads,
    },
    (asked) => answering(() => searchRecords(agent, asked)),
  );
  server.registerTool(
    'explain_operation',
    {
      title: 'Explain an operation',
      description:
        'Why each record of a write was or was not written: what was sent, what the provider answered, how it ended.',
      inputSchema: explainArguments,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (asked) => answering(() => explainOperation(agent, asked)),
  );
}

/** Tools that change the customer's account. */
export function addWriteTools(server: McpServer, agent: Required<Agent>): void {
  server.registerTool(
    'create_record',
    {
      title: 'Create a record',
      description: "Creates one record in the customer's account, with the customer's mappings and defaults.",
      inputSchema: createArguments,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    },
    (asked) => writeRecord(agent, asked),
  );
  server.registerTool(
    'update_record',
    {
      title: 'Update a record',
      description: "Changes fields of one record in the customer's account. Fields that are not named stay.",
      inputSchema: updateArguments,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    },
    (asked) => writeRecord(agent, asked),
  );
}
