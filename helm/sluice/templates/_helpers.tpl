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

{{/* The ports of the services. */}}
{{- define "sluice.port" -}}
{{- get (dict "management" "4100" "search" "4200" "write-gateway" "4300" "batcher" "4400" "executor" "4500" "sandbox" "4600") . -}}
{{- end -}}

{{/* Prometheus asks each service on a port of its own, ten above. */}}
{{- define "sluice.metricsPort" -}}
{{- add (include "sluice.port" .) 10 -}}
{{- end -}}

{{/* The imitated providers: in a trial, or alone beside services of the user's own. */}}
{{- define "sluice.hasSandbox" -}}
{{- if or .Values.trial.enabled .Values.sandbox.enabled }}true{{ end -}}
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
- { name: SLUICE_METRICS_PORT, value: {{ include "sluice.metricsPort" $service | quote }} }
- { name: SLUICE_SHUTDOWN_MS, value: {{ $values.settings.shutdownMs | int | quote }} }
{{- if has $service (list "management" "search" "write-gateway") }}
- { name: SLUICE_DRAIN_DELAY_MS, value: {{ $values.settings.drainDelayMs | int | quote }} }
{{- end }}
- { name: SLUICE_DATABASE_POOL, value: {{ $own.databasePool | int | quote }} }
{{ include "sluice.databaseEnv" $root }}
{{- if ne $service "batcher" }}
{{ include "sluice.secretEnv" (list $root $values.credentialsKeys "SLUICE_CREDENTIALS_KEYS" (include "sluice.keysSecret" $root)) }}
{{- end }}
{{- if has $service (list "write-gateway" "batcher" "executor") }}
{{ include "sluice.kafkaEnv" $root }}
{{- end }}
{{- if has $service (list "management" "search" "write-gateway" "executor") }}
{{ include "sluice.secretEnv" (list $root $values.redis "REDIS_URL" (include "sluice.urlsSecret" $root)) }}
{{- end }}
{{- if eq $service "management" }}
{{ include "sluice.secretEnv" (list $root $values.adminKey "SLUICE_ADMIN_KEY" (include "sluice.keysSecret" $root)) }}
{{- with include "sluice.publicUrl" $root }}
- { name: SLUICE_PUBLIC_URL, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- if has $service (list "management" "executor") }}
- { name: SLUICE_RETENTION_DAYS, value: {{ $values.settings.retentionDays | int | quote }} }
{{- end }}
{{ include "sluice.providersEnv" $root }}
{{ include "sluice.telemetryEnv" $root }}
{{- range $name, $value := $own.env }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end -}}

{{/* The ConfigMap with providers that are files; empty without. */}}
{{- define "sluice.providerFiles" -}}
{{- if .Values.providers.files }}{{ include "sluice.name" . }}-providers{{ else }}{{ .Values.providers.filesConfigMap }}{{ end -}}
{{- end -}}

{{/* Where every service finds it. */}}
{{- define "sluice.providersFolder" -}}/etc/sluice/providers{{- end -}}

{{- define "sluice.providersEnv" -}}
{{- $sandbox := printf "http://%s-trial-sandbox:4600" (include "sluice.name" .) -}}
{{- $providers := .Values.providers -}}
- { name: SLUICE_CALL_TIMEOUT_MS, value: {{ .Values.settings.callTimeoutMs | int | quote }} }
{{- $isImitated := ne "" (include "sluice.hasSandbox" .) }}
- { name: HUBSPOT_API_URL, value: {{ ternary $sandbox $providers.hubspotApiUrl $isImitated | quote }} }
- { name: SALESFORCE_LOGIN_URL, value: {{ ternary $sandbox $providers.salesforceLoginUrl $isImitated | quote }} }
{{- with ternary $sandbox $providers.salesforceInstanceUrl $isImitated }}
- { name: SALESFORCE_INSTANCE_URL, value: {{ . | quote }} }
{{- end }}
{{- if include "sluice.providerFiles" . }}
- { name: SLUICE_PROVIDERS_DIR, value: {{ include "sluice.providersFolder" . }} }
{{- end }}
{{- with ternary (printf "%s/rest" $sandbox) $providers.filesUrl $isImitated }}
- { name: SLUICE_PROVIDERS_URL, value: {{ . | quote }} }
{{- end }}
{{- with join "," $providers.egressAllow }}
- { name: SLUICE_EGRESS_ALLOW, value: {{ . | quote }} }
{{- end }}
{{- end -}}

{{/* OpenTelemetry reads its own names; without an endpoint nothing leaves the pod. */}}
{{- define "sluice.telemetryEnv" -}}
{{- $telemetry := .Values.telemetry -}}
{{- with $telemetry.otlp.endpoint -}}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
{{- with $telemetry.otlp.headersSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom:
    secretKeyRef: { name: {{ . }}, key: OTEL_EXPORTER_OTLP_HEADERS }
{{- end }}
- { name: OTEL_TRACES_SAMPLER, value: traceidratio }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ $telemetry.sampleRatio | quote }} }
- { name: OTEL_RESOURCE_ATTRIBUTES, value: 'service.version={{ $.Values.image.tag | default $.Chart.AppVersion }},k8s.namespace.name={{ $.Release.Namespace }}' }
{{- end }}
{{- end -}}

{{/* Port of the OpenTelemetry collector; empty without one. */}}
{{- define "sluice.otlpPort" -}}
{{- with .Values.telemetry.otlp.endpoint }}{{ regexFind ":[0-9]+" (urlParse .).host | trimPrefix ":" | default (ternary "443" "80" (hasPrefix "https" .)) }}{{ end -}}
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
{{- $database := ternary $root.Values.migration $root.Values.postgres (ne $root.Values.migration.existingSecret "") -}}
image: {{ include "sluice.image" (list $root "migrate") }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
env:
  {{- include "sluice.secretEnv" (list $root $database "DATABASE_URL" (index . 1)) | nindent 2 }}
  {{- include "sluice.kafkaEnv" $root | nindent 2 }}
resources:
  requests: { cpu: 50m, memory: 96Mi }
  limits: { memory: 256Mi }
securityContext:
  {{- include "sluice.containerSecurity" $root | nindent 2 }}
{{- end -}}

{{/* Of a trial: waits until these listen, instead of failing into the node's growing back-off: (list $ (list "trial-kafka:9092")). */}}
{{- define "sluice.waitContainer" -}}
{{- $root := index . 0 -}}
image: {{ include "sluice.image" (list $root "migrate") }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
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
    const places = {{ index . 1 | toJson }}.map((place) => ({{ include "sluice.name" $root | quote }} + '-' + place).split(':'));
    Promise.all(places.map(([host, port]) => listens(host, Number(port)))).then(() => process.exit(0));
securityContext:
  {{- include "sluice.containerSecurity" $root | nindent 2 }}
{{- end -}}

{{/* Writes through the Services and compares what was told, what is stored, and what the sandbox did. */}}
{{- define "sluice.crashTestContainer" -}}
{{- $name := include "sluice.name" . -}}
image: {{ include "sluice.image" (list . "crash-test") }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  {{- range $service := list "management" "search" "write-gateway" }}
  - { name: {{ $service | upper | replace "-" "_" }}_URL, value: 'http://{{ $name }}-{{ $service }}:{{ include "sluice.port" $service }}' }
  {{- end }}
  - { name: SANDBOX_URL, value: 'http://{{ $name }}-trial-sandbox:4600' }
  - { name: CRASH_TEST_RELEASE, value: {{ .Release.Name | quote }} }
  - { name: CRASH_TEST_WRITES, value: {{ .Values.crashTest.writes | int | quote }} }
  - { name: CRASH_TEST_PER_SECOND, value: {{ .Values.crashTest.perSecond | int | quote }} }
  - { name: CRASH_TEST_DELETIONS, value: {{ .Values.crashTest.deletions | int | quote }} }
  - { name: CRASH_TEST_SEED, value: {{ .Values.crashTest.seed | int | quote }} }
  {{- if gt (int .Values.crashTest.deletions) 0 }}
  - { name: NODE_EXTRA_CA_CERTS, value: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt }
  {{- end }}
  {{- include "sluice.databaseEnv" . | nindent 2 }}
  {{- include "sluice.secretEnv" (list . .Values.adminKey "SLUICE_ADMIN_KEY" (include "sluice.keysSecret" .)) | nindent 2 }}
resources:
  requests: { cpu: 100m, memory: 128Mi }
  limits: { memory: 512Mi }
securityContext:
  {{- include "sluice.containerSecurity" . | nindent 2 }}
{{- end -}}
