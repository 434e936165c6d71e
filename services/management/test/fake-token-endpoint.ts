import type { IncomingMessage, ServerResponse } from 'node:http';

/** A provider's token endpoint: what it was asked, and what it answers next. */
export interface FakeTokenEndpoint {
  /** Forms that arrived, oldest first. */
  readonly asked: Readonly<Record<string, string>>[];
  /** By grant type. A grant that is not in it is refused with 400 `invalid_grant`. */
  readonly replies: Map<string, { readonly status: number; readonly body: object }>;
}

export function createTokenEndpoint(): FakeTokenEndpoint & {
  answer(req: IncomingMessage, res: ServerResponse): Promise<void>;
} {
  const asked: Readonly<Record<string, string>>[] = [];
  const replies: FakeTokenEndpoint['replies'] = new Map();
  return {
    asked,
    replies,
    answer: async (req, res) => {
      let text = '';
      for await (const chunk of req) text += String(chunk);
      const form = Object.fromEntries(new URLSearchParams(text));
      asked.push(form);
      const refusal = { status: 400, body: { error: 'invalid_grant', error_description: 'no such grant' } };
      const { status, body } = replies.get(form['grant_type'] ?? '') ?? refusal;
      res.writeHead(status, { 'Content-Type': 'application/json' });
      res.end(JSON.stringify(body));
    },
  };
}
