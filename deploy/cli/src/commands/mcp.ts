import { option, type Command } from '../command';

/** `sluice mcp`. The protocol and the client are loaded when it runs. */
export const mcp: Command = {
  about: 'serve the records of one customer to an agent, by the Model Context Protocol on standard input and output',
  takes: [
    option('--group <ref>', "the customer; default: the bearer token's"),
    option(
      '--token-file <file>',
      'a bearer token in place of the key; read for each request, so that it can be renewed',
    ),
    option('--allow-writes', 'offer the tools that create and update records'),
  ],
  run: async (options) => (await import('../mcp/serve.js')).serveMcp(options),
};
