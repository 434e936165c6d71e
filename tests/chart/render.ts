import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** The folder of the chart. */
export const chart = join(__dirname, '..', '..', 'helm', 'sluice');

/** The members of a rendered manifest that the tests check. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata & { readonly name: string };
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: PodTemplate;
    readonly suspend?: boolean;
    readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } };
    readonly maxReplicas?: number;
    readonly ttlSecondsAfterFinished?: number;
    readonly egress?: readonly { readonly ports?: readonly { readonly port: number }[] }[];
    readonly validations?: readonly { readonly expression: string }[];
  };
  readonly rules?: readonly object[];
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface PodTemplate {
  readonly metadata?: Metadata;
  readonly spec: PodSpec;
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

interface EnvEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly EnvEntry[];
  readonly envFrom?: readonly object[];
  readonly volumeMounts?: readonly object[];
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  readonly securityContext?: Readonly<Record<string, unknown>>;
}

/** The pods of workloads, of commands and of `helm test`, by `app.kubernetes.io/component`. */
export function podsByComponent(manifests: readonly Manifest[]): Readonly<Record<string, PodTemplate>> {
  const pods = manifests.flatMap(({ kind, metadata, spec }): PodTemplate[] => {
    if (kind === 'Pod') return [{ metadata, spec: spec as unknown as PodSpec }];
    return [spec?.template ?? spec?.jobTemplate?.spec.template ?? []].flat();
  });
  return Object.fromEntries(pods.map((pod) => [pod.metadata?.labels?.['app.kubernetes.io/component'] ?? '', pod]));
}

export function containersOf(pod: PodSpec | undefined): readonly Container[] {
  return [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])];
}

export interface Rendering {
  readonly manifests: readonly Manifest[];
  readonly text: string;
  /** What helm said where it refused. */
  readonly refusal: string;
}

const rendered = new WeakMap<object, Rendering>();

/** Renders the chart with these values, as an installation into an empty cluster would; the same values once. */
export function render(helm: string, values: object): Rendering {
  const known = rendered.get(values) ?? renderAt(chart, helm, values);
  rendered.set(values, known);
  return known;
}

function renderAt(at: string, helm: string, values: object): Rendering {
  const args = ['template', 'sluice', at, '--namespace', 'sluice', '--kube-version', '1.34.0'];
  const { stdout, stderr, status } = spawnSync(helm, [...args, '--values', valuesFile(values)], { encoding: 'utf8' });
  if (status !== 0) return { manifests: [], text: '', refusal: stderr };
  return { manifests: parseManifests(stdout), text: stdout, refusal: '' };
}

export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
}

/**
 * The notes that `helm install` prints with these values. Rendered as a manifest of a copy: `helm template` leaves notes out, and
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
  const { manifests, refusal } = renderAt(copy, helm, values);
  const text = manifests.find(({ metadata }) => metadata.name === 'notes')?.data?.['notes'];
  if (text === undefined) throw new Error(refusal);
  return text;
}

/** What `helm lint --strict` says; empty when it has nothing to say. */
export function lint(helm: string, values: object): string {
  const args = ['lint', '--strict', chart, '--kube-version', '1.34.0', '--values', valuesFile(values)];
  const { stdout, stderr, status } = spawnSync(helm, args, { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

/** A file with these values, for `--values`. */
export function valuesFile(values: object): string {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-chart-')), 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return file;
}
