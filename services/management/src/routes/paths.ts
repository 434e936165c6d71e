/** `P` of the published API. */
export const projectPath = '/v1/projects/:projectIdOrName';

/** `I` of the published API. */
export const integrationPath = `${projectPath}/integrations/:integrationId`;

/** For endpoints without a query: a misspelt or unsupported parameter is refused, not ignored. */
export const noQuery = { type: 'object', additionalProperties: false } as const;

/** Accepted for published clients. Nothing is sampled, so it changes nothing. */
export const samplingQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { skipSampling: { type: 'boolean', default: false } },
} as const;
