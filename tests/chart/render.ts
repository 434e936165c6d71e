import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
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
export function render(helm: string, values: object, at = chart): Rendering {
  const args = ['template', 'sluice', at, '--namespace', 'sluice', '--kube-version', '1.34.0'];
  const { stdout, stderr, status } = spawnSync(helm, [...args, '--values', valuesFile(values)], { encoding: 'utf8' });
  if (status !== 0) return { manifests: [], text: '', refusal: stderr };
  const manifests = parseAllDocuments(stdout).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
  return { manifests, text: stdout, refusal: '' };
}

/**
 * What an installation with these values tells whoever made it. Rendered as a manifest of a copy: `helm template` leaves notes out, and
 * helm 3 asks a cluster for them, also in a dry run of the client.
 */
export function notesOf(helm: string, values: object): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'sluice-chart-')), 'sluice');
  cpSync(chart, copy, { recursive: true });
  const templates = join(copy, 'templates');
  const notes = readFileSync(join(templates, 'NOTES.txt'), 'utf8');
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: notes }';
  const data = 'data: { notes: {{ include "test.notes" . | toJson }} }';
  writeFileSync(join(templates, 'notes.yaml'), `{{- define "test.notes" }}${notes}{{ end -}}\n${head}\n${data}\n`);
  const { manifests, refusal } = render(helm, values, copy);
  const told = manifests.find(({ metadata }) => metadata.name === 'notes')?.data?.['notes'];
  if (told === undefined) throw new Error(refusal);
  return told;
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
