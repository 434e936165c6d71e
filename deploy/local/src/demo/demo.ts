import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { repositoryRoot } from '@sluice/stack';
import type { SandboxAccount } from '../sandbox-client';
import type { Addresses } from '../service-ports';

/** The manifest that is deployed into the demo project. */
export const manifestFile = join(repositoryRoot, 'sluice.yaml');

/** 300 contacts as a customer would have them; its README describes the positions. */
export const sampleFile = join(repositoryRoot, 'deploy/local/samples/contacts.json');

/** What the CRMs of the demo call the things that its customers' configs name. */
export const crmWords = {
  hubspot: {
    people: 'contacts',
    phone: 'phone',
    /** The field that the customer maps to the builder's name `position`. */
    title: 'jobtitle',
    /** A field that the config fills when a create leaves it out, and its value. */
    defaulted: { field: 'hs_lead_status', value: 'NEW' },
  },
  salesforce: {
    people: 'Contact',
    phone: 'Phone',
    title: 'Title',
    defaulted: { field: 'LeadSource', value: 'Web' },
  },
} as const;

/** A customer whose CRM is connected. */
export interface DemoCustomer {
  readonly provider: string;
  readonly groupRef: string;
  readonly consumerRef: string;
  /** Secret: the customer's access token. */
  readonly token: string;
  /** Needed where the provider's host name carries it. */
  readonly workspaceRef?: string;
}

/** The person of the demo, at one of the imitated CRMs. */
export function demoCustomer({ provider, token, workspaceRef }: SandboxAccount): DemoCustomer {
  return { provider, groupRef: 'demo-group', consumerRef: 'demo-user', token, workspaceRef };
}

/** Another token is another customer: nothing ever goes to an account that was connected before. */
export function realCustomer(provider: string, token: string, workspaceRef?: string): DemoCustomer {
  const mark = createHash('sha256').update(token).digest('hex').slice(0, 8);
  const ref = `${provider}-${mark}`;
  return { provider, groupRef: ref, consumerRef: ref, token, ...(workspaceRef === undefined ? {} : { workspaceRef }) };
}

/** One integration that is installed and connected: everything a write or a search names. */
export interface DemoIntegration {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  readonly groupRef: string;
  readonly installationId: string;
  readonly connectionId: string;
}

/** `demo.json`: what a program needs to use the running stack. */
export interface Demo extends Omit<Addresses, 'sandboxUrl'> {
  /** Absent after `npm run connect`: there is no sandbox. */
  readonly sandboxUrl?: string;
  readonly adminKey: string;
  readonly project: { readonly id: string; readonly name: string };
  /** Scope `full`. */
  readonly apiKey: string;
  readonly integrations: readonly DemoIntegration[];
}

export function demoFileOf(folder: string): string {
  return join(folder, 'demo.json');
}

/** What to do with a running stack: the addresses, where the key is, and a command to paste for each base URL. */
export function describeRunning(demo: Demo, demoFile: string): readonly string[] {
  const { baseUrl, searchUrl, writeUrl, sandboxUrl } = demo;
  return [
    '',
    `management  ${baseUrl}`,
    `console     ${baseUrl.replace(/\/v1$/, '/console')}`,
    `guide       ${baseUrl.replace(/\/v1$/, '/docs/guide')}`,
    `reference   ${baseUrl.replace(/\/v1$/, '/docs/reference')}`,
    `search      ${searchUrl}`,
    `write       ${writeUrl}`,
    ...(sandboxUrl === undefined ? [] : [`sandbox CRMs ${sandboxUrl}`]),
    `API key     ${demoFile} (apiKey, may do everything in the project)`,
    ...(sandboxUrl === undefined
      ? []
      : ['OAuth       the demo has an app of each sandbox CRM: console, Customers, Connect a customer, with a link']),
    '',
    'To paste:',
    `  KEY=$(node -p 'require("${demoFile}").apiKey')`,
    ...pasteable(demo),
  ];
}

/** A command for each base URL, with the API key in KEY. */
export function pasteable({ baseUrl, searchUrl, writeUrl, project, integrations }: Demo): readonly string[] {
  const [integration] = integrations;
  const at = `projects/${project.name}/integrations/${integration?.name}`;
  const groupRef = integration?.groupRef ?? '';
  const record = { email: 'ada@example.com', firstname: 'Ada', lastname: 'Lovelace' };
  const filter = { fieldName: 'email', operator: 'eq', value: record.email };
  const write = { groupRef, type: 'create', record };
  const search = { objectName: 'contacts', fieldFilters: [filter] };
  return [
    curl(`${writeUrl}/${at}/objects/contacts`, write),
    curl(`${searchUrl}/${at}?groupRef=${groupRef}`, search),
    curl(`${baseUrl}/${at}/installations`),
  ];
}

function curl(url: string, body?: object): string {
  const data = body === undefined ? '' : ` -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  return `  curl -sS -w '\\n' '${url}' -H "x-api-key: $KEY"${data}`;
}
