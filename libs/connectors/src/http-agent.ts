import type { Agent as AgentType, buildConnector as ConnectorBuilder } from 'undici';

/**
 * Two modules of undici in place of its index, which loads WebSocket, caches, proxies and mocks as well: 2.5 MB of every process and half of what loading it
 * takes. What they have is typed by undici's own types; a version that moves them stops every process at its start.
 */
export const Agent = require('undici/lib/dispatcher/agent.js') as typeof AgentType;
export const buildConnector = require('undici/lib/core/connect.js') as typeof ConnectorBuilder;
