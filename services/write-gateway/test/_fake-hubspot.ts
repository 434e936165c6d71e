import {
  hubspotRecord,
  startScriptedProvider,
  type AnswerCall,
  type ProviderAnswer,
  type ProviderCall,
} from '@sluice/testkit';

/** The members of HubSpot's request bodies that these tests read. */
export interface HubspotBody {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly inputs?: readonly {
    readonly id?: string;
    readonly properties: Readonly<Record<string, unknown>>;
    readonly objectWriteTraceId?: string;
    /** Of an association. */
    readonly from?: { readonly id: string };
    readonly to?: { readonly id: string };
  }[];
}

export type HubspotCall = ProviderCall<HubspotBody>;
export type Answer = ProviderAnswer;
export type HubspotOfTest = Awaited<ReturnType<typeof startHubspot>>;

/** HubSpot's write endpoints. @param port 0 takes a free one */
export async function startHubspot(port = 0) {
  const accept = accepting();
  const provider = await startScriptedProvider(accept, port);
  /** Answers as an account that takes everything. */
  const takeAll = (): void => void (provider.answer = accept);
  return Object.assign(provider, { takeAll });
}

function accepting(): AnswerCall<HubspotBody> {
  let nextId = 500;
  return ({ method, path, body }) => {
    if (path.includes('/associations/')) {
      const results = body.inputs?.map(({ from, to }) => ({
        fromObjectId: Number(from?.id),
        toObjectId: Number(to?.id),
      }));
      return { status: 201, body: { status: 'COMPLETE', results } };
    }
    if (body.inputs !== undefined) {
      const results = body.inputs.map(({ id, properties, objectWriteTraceId }) => ({
        ...hubspotRecord(id ?? String((nextId += 1)), properties),
        objectWriteTraceId,
      }));
      return { status: path.endsWith('create') ? 201 : 200, body: { status: 'COMPLETE', results } };
    }
    if (method === 'DELETE') return { status: 204 };
    const id = method === 'PATCH' ? (path.split('/').at(-1) ?? '') : String((nextId += 1));
    return { status: method === 'PATCH' ? 200 : 201, body: hubspotRecord(id, body.properties ?? {}) };
  };
}
