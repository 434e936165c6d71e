import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** What a tool of the server answers. */
interface ToolReply {
  readonly isError: boolean;
  readonly text: string;
}

/** The program that HubSpot publishes for assistants (npm `@hubspot/mcp-server`), as a process: JSON-RPC by standard input and output, a message a line. */
export interface McpServer {
  /** @param tool its name without `hubspot-` */
  call(tool: string, args: object): Promise<ToolReply>;
  close(): Promise<void>;
}

interface Message {
  readonly id: number;
  readonly result?: { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean };
}

/** @param url where it reaches HubSpot */
export async function startMcpServer(url: string, accessToken: string): Promise<McpServer> {
  const server: ChildProcess = spawn(process.execPath, [require.resolve('@hubspot/mcp-server')], {
    env: { BASE_URL_OVERRIDE: url, PRIVATE_APP_ACCESS_TOKEN: accessToken },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { stdin, stdout } = server;
  if (stdin === null || stdout === null) throw new Error('the server has no pipes');
  const waiting = new Map<number, (message: Message) => void>();
  createInterface({ input: stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    waiting.get(message.id)?.(message);
  });
  let sent = 0;
  const ask = (method: string, params: object): Promise<Message> =>
    new Promise((resolve) => {
      waiting.set((sent += 1), resolve);
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: sent, method, params })}\n`);
    });
  const clientInfo = { name: 'tests', version: '1' };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  return {
    call: async (tool, args) => {
      const { result = {} } = await ask('tools/call', { name: `hubspot-${tool}`, arguments: args });
      return { isError: result.isError ?? false, text: result.content?.[0]?.text ?? '' };
    },
    close: async () => {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    },
  };
}
