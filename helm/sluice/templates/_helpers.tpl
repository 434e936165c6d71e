{{/* Name of everything in the release. */}}
{{- define "sluice.name" -}}
{{- if contains "sluice" .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- else -}}{{ printf "%s-sluice" .Release.Name | trunc 40 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "sluice.labels" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Labels that select the pods of one service: (list $ "executor"). They never change. */}}
{{- define "sluice.selector" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* Image of a service: (list $ "executor"). */}}
{{- define "sluice.image" -}}
{{- $image := (index . 0).Values.image -}}
{{- with $image.registry }}{{ . }}/{{ end }}{{ $image.repository }}/{{ index . 1 }}:{{ $image.tag | default (index . 0).Chart.AppVersion }}
{{- end -}}

{{/* The ports of the services: what design.md gives them. */}}
{{- define "sluice.port" -}}
{{- get (dict "management" "4100" "search" "4200" "write-gateway" "4300" "batcher" "4400" "executor" "4500" "sandbox" "4600") . -}}
{{- end -}}

{{/* An environment variable from a Secret of the user, or of the release: (list $ $.Values.postgres "DATABASE_URL"). */}}
{{- define "sluice.secretEnv" -}}
{{- $root := index . 0 }}{{ $source := index . 1 }}{{ $name := index . 2 -}}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $source.existingSecret | default (index . 3) }}
      key: {{ ternary $source.key $name (ne $source.existingSecret "") }}
{{- end -}}

{{- define "sluice.urlsSecret" -}}{{ include "sluice.name" . }}-urls{{- end -}}
{{- define "sluice.keysSecret" -}}{{ include "sluice.name" . }}-keys{{- end -}}

{{- define "sluice.databaseEnv" -}}
{{ include "sluice.secretEnv" (list . .Values.postgres "DATABASE_URL" (include "sluice.urlsSecret" .)) }}
{{- end -}}

{{- define "sluice.brokers" -}}
{{- if .Values.trial.enabled -}}{{ include "sluice.name" . }}-trial-kafka:9092{{- else -}}{{ join "," .Values.kafka.brokers }}{{- end -}}
{{- end -}}

{{/* How the brokers are reached. */}}
{{- define "sluice.kafkaEnv" -}}
{{- $kafka := .Values.kafka -}}
- { name: KAFKA_BROKERS, value: {{ include "sluice.brokers" . | quote }} }
{{- if $kafka.tls.enabled }}
- { name: KAFKA_TLS, value: 'on' }
{{- with $kafka.tls.caSecret }}
- name: KAFKA_CA
  valueFrom:
    secretKeyRef: { name: {{ . }}, key: {{ $kafka.tls.caKey }} }
{{- end }}
{{- end }}
{{- with $kafka.sasl.mechanism }}
- { name: KAFKA_SASL_MECHANISM, value: {{ . }} }
- name: KAFKA_SASL_USERNAME
  valueFrom:
    secretKeyRef: { name: {{ $kafka.sasl.existingSecret }}, key: {{ $kafka.sasl.usernameKey }} }
- name: KAFKA_SASL_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ $kafka.sasl.existingSecret }}, key: {{ $kafka.sasl.passwordKey }} }
{{- end }}
{{- end -}}

{{- define "sluice.publicUrl" -}}
{{- with .Values.settings.publicUrl }}{{ . }}{{ else }}{{ with .Values.ingress.hosts.management }}https://{{ . }}{{ end }}{{ end -}}
{{- end -}}

{{/* The environment of a service: (list $ "executor"). A service gets what its table of settings knows, and no secret more. */}}
{{- define "sluice.env" -}}
{{- $root := index . 0 }}{{ $service := index . 1 }}{{ $values := $root.Values }}{{ $own := index $values.services $service -}}
- { name: SLUICE_LOG_LEVEL, value: {{ $values.settings.logLevel | quote }} }
- { name: SLUICE_PORT, value: {{ include "sluice.port" $service | quote }} }
- { name: SLUICE_SHUTDOWN_MS, value: {{ $values.settings.shutdownMs | int | quote }} }
- { name: SLUICE_DATABASE_POOL, value: {{ $own.databasePool | int | quote }} }
{{ include "sluice.databaseEnv" $root }}
{{- if ne $service "batcher" }}
{{ include "sluice.secretEnv" (list $root $values.credentialsKeys "SLUICE_CREDENTIALS_KEYS" (include "sluice.keysSecret" $root)) }}
{{- end }}
{{- if has $service (list "write-gateway" "batcher" "executor") }}
{{ include "sluice.kafkaEnv" $root }}
{{- end }}
{{- if has $service (list "search" "write-gateway" "executor") }}
{{ include "sluice.secretEnv" (list $root $values.redis "REDIS_URL" (include "sluice.urlsSecret" $root)) }}
{{- end }}
{{- if eq $service "management" }}
{{ include "sluice.secretEnv" (list $root $values.adminKey "SLUICE_ADMIN_KEY" (include "sluice.keysSecret" $root)) }}
{{- with include "sluice.publicUrl" $root }}
- { name: SLUICE_PUBLIC_URL, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- if eq $service "executor" }}
- { name: SLUICE_RETENTION_DAYS, value: {{ $values.settings.retentionDays | int | quote }} }
{{- end }}
{{ include "sluice.providersEnv" $root }}
{{- range $name, $value := $own.env }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end -}}

{{- define "sluice.providersEnv" -}}
{{- $sandbox := printf "http://%s-trial-sandbox:4600" (include "sluice.name" .) -}}
{{- $providers := .Values.providers -}}
- { name: SLUICE_CALL_TIMEOUT_MS, value: {{ .Values.settings.callTimeoutMs | int | quote }} }
- { name: HUBSPOT_API_URL, value: {{ ternary $sandbox $providers.hubspotApiUrl .Values.trial.enabled | quote }} }
- { name: SALESFORCE_LOGIN_URL, value: {{ ternary $sandbox $providers.salesforceLoginUrl .Values.trial.enabled | quote }} }
{{- with ternary $sandbox $providers.salesforceInstanceUrl .Values.trial.enabled }}
- { name: SALESFORCE_INSTANCE_URL, value: {{ . | quote }} }
{{- end }}
{{- with join "," $providers.egressAllow }}
- { name: SLUICE_EGRESS_ALLOW, value: {{ . | quote }} }
{{- end }}
{{- end -}}

{{/* What every container of ours gets: it runs as 10001, writes nothing, may do nothing. */}}
{{- define "sluice.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "sluice.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{/* What brings the database and the topics to this version; safe to run again and from several places at once: (list $ "secret with DATABASE_URL"). */}}
{{- define "sluice.migrateContainer" -}}
{{- $root := index . 0 -}}
image: {{ include "sluice.image" (list $root "migrate") }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
env:
  {{- include "sluice.secretEnv" (list $root $root.Values.postgres "DATABASE_URL" (index . 1)) | nindent 2 }}
  {{- include "sluice.kafkaEnv" $root | nindent 2 }}
resources:
  requests: { cpu: 50m, memory: 96Mi }
  limits: { memory: 256Mi }
securityContext:
  {{- include "sluice.containerSecurity" $root | nindent 2 }}
{{- end -}}

{{/* Of a trial: waits until its Postgres and its broker listen, instead of failing into the node's growing back-off. */}}
{{- define "sluice.waitContainer" -}}
image: {{ include "sluice.image" (list . "migrate") }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
command:
  - node
  - -e
  - |
    const { connect } = require('node:net');
    const listens = (host, port) => new Promise((resolve) => {
      const socket = connect({ host, port, timeout: 1000 }, () => { socket.destroy(); resolve(); });
      const again = () => { socket.destroy(); setTimeout(() => listens(host, port).then(resolve), 500); };
      socket.once('error', again).once('timeout', again);
    });
    const name = {{ include "sluice.name" . | quote }};
    Promise.all([listens(name + '-trial-postgres', 5432), listens(name + '-trial-kafka', 9092)]).then(() => process.exit(0));
securityContext:
  {{- include "sluice.containerSecurity" . | nindent 2 }}
{{- end -}}
