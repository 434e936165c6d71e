import type { ConnectChoices, ConnectCredentials, ConnectObject, ConnectView } from '@sluice/types';
import { texts } from './texts';

/** One thing that is wrong with one field. */
export interface FieldIssue {
  readonly name: string;
  readonly detail: string;
}

interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly remedy?: string;
  readonly issues?: readonly FieldIssue[];
}

/** What the service refused, as its problem says. Without `code`: it was not reached. */
export class Refusal extends Error {
  readonly code: string;
  readonly remedy: string | undefined;
  readonly issues: readonly FieldIssue[];
  constructor({ code = '', detail = texts.unreachable, remedy, issues = [] }: Problem) {
    super(detail);
    this.code = code;
    this.remedy = remedy;
    this.issues = issues;
  }
}

export type ConnectApi = ReturnType<typeof connectApi>;

/** What the page asks of management. Everything rejects with a `Refusal`. @param token begins with the id of the project */
export function connectApi(token: string) {
  const [projectId = ''] = token.split('.', 1);
  const base = new URL(`v1/projects/${encodeURIComponent(projectId)}/connect-session`, document.baseURI).href;
  const ask = async <Result>(path: string, body?: object): Promise<Result> => {
    const authorization = { Authorization: `Bearer ${token}` };
    const sent: RequestInit =
      body === undefined
        ? { headers: authorization }
        : {
            method: 'POST',
            headers: { ...authorization, 'Content-Type': 'application/json' },
            body: JSON.stringify(body),
          };
    let reply: Response;
    let result: unknown;
    try {
      reply = await fetch(`${base}${path}`, { ...sent, cache: 'no-store' });
      result = await reply.json();
    } catch {
      throw new Refusal({});
    }
    if (!reply.ok) throw new Refusal(result as Problem);
    return result as Result;
  };
  return {
    view: () => ask<ConnectView>(''),
    /** @returns where to go on */
    authorize: async (inputs: Inputs) => (await ask<{ url: string }>('/authorization', { inputs })).url,
    connect: (credentials: ConnectCredentials) => ask<ConnectView>('/credentials', credentials),
    choices: async () => (await ask<{ objects: ConnectObject[] }>('/choices')).objects,
    choose: (choices: ConnectChoices) => ask<ConnectView>('/choices', choices),
  };
}

export type Inputs = Readonly<Record<string, string>>;

/** The link is over for this browser, or another browser's: only its page can say so. */
export const isOfLink = ({ code }: Refusal): boolean =>
  code.startsWith('connect-session.') && code !== 'connect-session.invalid';

/**
 * What is wrong with one field. An issue may name what the field is part of, and the account's place has another name in requests.
 * @param name of the field, such as `basicAuth.password`
 */
export function issueOf(refusal: Refusal | undefined, name: string): FieldIssue | undefined {
  return refusal?.issues.find((issue) => isAbout(issue, name));
}

function isAbout({ name: named }: FieldIssue, name: string): boolean {
  if (named === name || named.startsWith(`${name}.`) || name.startsWith(`${named}.`)) return true;
  return (
    named.endsWith(`.${name}`) ||
    named.includes(`.${name}.`) ||
    (name === 'workspace' && named === 'providerWorkspaceRef')
  );
}

/** Whether each issue stands beside one of these fields. */
export function isBesideFields({ issues }: Refusal, names: readonly string[]): boolean {
  return issues.length > 0 && issues.every((issue) => names.some((name) => isAbout(issue, name)));
}
