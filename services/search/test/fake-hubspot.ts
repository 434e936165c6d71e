import { hubspotRecord, startScriptedProvider, type ProviderAnswer, type ScriptedProvider } from '@sluice/testkit';

/** The properties of every object of the account. */
export const propertyNames = ['email', 'city', 'nickname'];

/** What HubSpot answers next. */
interface Answers {
  /** To searches. */
  answer: ProviderAnswer;
  /** To reads of an object's properties. @default a list of `propertyNames` */
  properties: ProviderAnswer;
  /** To token refreshes. @default 400 invalid_grant */
  tokens: ProviderAnswer;
  /** Access tokens that are refused with 401, wherever they come. */
  readonly ended: Set<string>;
}

export type HubspotOfTest = Answers & Pick<ScriptedProvider, 'url' | 'calls' | 'close'>;

/** HubSpot's search, properties and token endpoint. It has no schemas. */
export async function startHubspot(): Promise<HubspotOfTest> {
  const answers: Answers = {
    answer: foundRecords(),
    properties: {
      status: 200,
      body: { results: propertyNames.map((name) => ({ name, label: name, type: 'string' })) },
    },
    tokens: { status: 400, body: { error: 'invalid_grant', status: 'BAD_REFRESH_TOKEN', message: 'gone' } },
    ended: new Set(),
  };
  const { url, calls, close } = await startScriptedProvider(({ path, token }) => {
    if (path === '/oauth/2026-03/token') return answers.tokens;
    if (answers.ended.has(token)) return { status: 401, body: { status: 'error', message: 'The token expired.' } };
    if (path.startsWith('/crm/v3/properties/')) return answers.properties;
    const noSchemas = { status: 403, body: { status: 'error', message: 'No scope.' } };
    return path.includes('/schemas/') ? noSchemas : answers.answer;
  });
  return Object.assign(answers, { url, calls, close });
}

/** A reply with these records; each is its properties, with `hs_object_id` as its id. */
export function foundRecords(...records: readonly Record<string, string | null>[]) {
  const results = records.map((properties) => hubspotRecord(properties['hs_object_id'] ?? '', properties));
  return { status: 200, body: { total: results.length, results } };
}
