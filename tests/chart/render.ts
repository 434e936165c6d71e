import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const chart = join(__dirname, '..', '..', 'helm', 'sluice');

/** What the tests look at of a rendered manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: PodSpec;
    };
    readonly maxReplicas?: number;
    readonly validations?: readonly { readonly expression: string }[];
  };
  readonly rules?: readonly object[];
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: { readonly runAsNonRoot?: boolean };
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly object[];
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts?: readonly object[];
  readonly securityContext?: Readonly<Record<string, unknown>>;
}

export interface Rendering {
  readonly manifests: readonly Manifest[];
  readonly text: string;
  /** What helm said where it refused. */
  readonly refusal: string;
}

/** Renders the chart with these values, as an installation into an empty cluster would. */
export function render(helm: string, values: object): Rendering {
  const args = ['template', 'sluice', chart, '--namespace', 'sluice', '--kube-version', '1.34.0'];
  const { stdout, stderr, status } = spawnSync(helm, [...args, '--values', valuesFile(values)], { encoding: 'utf8' });
  if (status !== 0) return { manifests: [], text: '', refusal: stderr };
  const manifests = parseAllDocuments(stdout).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
  return { manifests, text: stdout, refusal: '' };
}

/** What an installation with these values tells whoever made it. No cluster is asked. */
export function notesOf(helm: string, values: object): string {
  const args = ['install', 'sluice', chart, '--namespace', 'sluice', '--dry-run=client'];
  const { stdout, stderr, status } = spawnSync(helm, [...args, '--values', valuesFile(values)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.slice(stdout.indexOf('\nNOTES:'));
}

/** What `helm lint --strict` says; empty when it has nothing to say. */
export function lint(helm: string, values: object): string {
  const args = ['lint', '--strict', chart, '--kube-version', '1.34.0', '--values', valuesFile(values)];
  const { stdout, stderr, status } = spawnSync(helm, args, { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

function valuesFile(values: object): string {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-chart-')), 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return file;
}
