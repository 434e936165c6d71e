{{/* The prefix of every name in the release. */}}
{{- define "sluice.name" -}}
{{- $chart := include "sluice.app" . -}}
{{- if .Values.fullnameOverride -}}{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains $chart .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-%s" .Release.Name $chart | trunc 40 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{/* The label app.kubernetes.io/name of everything. */}}
{{- define "sluice.app" -}}{{ .Values.nameOverride | default "sluice" }}{{- end -}}

{{- define "sluice.labels" -}}
app.kubernetes.io/name: {{ include "sluice.app" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Labels that select the pods of one service: (list $ "executor"). They never change. */}}
{{- define "sluice.selector" -}}
app.kubernetes.io/name: {{ include "sluice.app" (index . 0) }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* Image of ours: (list $ "executor" $own), where $own.image may name another one. */}}
{{- define "sluice.image" -}}
{{- $root := index . 0 }}{{ $name := index . 1 }}{{ $values := $root.Values -}}
{{- $own := dict }}{{ if gt (len .) 2 }}{{ $own = (index . 2).image | default dict }}{{ end -}}
{{- $tag := $own.tag | default $values.image.tag | default $root.Chart.AppVersion -}}
{{- $digest := $own.digest | default (ternary "" (get $values.image.digests $name) (or (hasKey $own "tag") (hasKey $own "repository"))) -}}
{{- with $own.registry | default (include "sluice.globalRegistry" $root) | default $values.image.registry }}{{ . }}/{{ end -}}
{{- $own.repository | default (printf "%s/%s" $values.image.repository $name) }}:{{ $tag }}{{ with $digest }}@{{ . }}{{ end }}
{{- end -}}

{{- define "sluice.globalRegistry" -}}{{ dig "imageRegistry" "" (.Values.global | default dict) }}{{- end -}}

{{/* An image that is not ours, from the registry of the whole installation where one is named: (list $ "docker.io/library/redis:7.2"). */}}
{{- define "sluice.foreignImage" -}}
{{- $image := index . 1 -}}
{{- with include "sluice.globalRegistry" (index . 0) }}{{ . }}/{{ regexReplaceAll "^[^/]+[.:][^/]*/" $image "" }}{{ else }}{{ $image }}{{ end -}}
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

{{/* Certificates as PEM text, from Secrets: (list $.Values.redis.tls "REDIS"). Empty without. */}}
{{- define "sluice.tlsEnv" -}}
{{- $tls := index . 0 }}{{ $prefix := index . 1 -}}
{{- with $tls.caSecret }}
- name: {{ $prefix }}_CA
  valueFrom:
    secretKeyRef: { name: {{ . }}, key: {{ $tls.caKey }} }
{{- end }}
{{- with $tls.clientSecret }}
- name: {{ $prefix }}_CLIENT_CERT
  valueFrom:
    secretKeyRef: { name: {{ . }}, key: {{ $tls.clientCertKey }} }
- name: {{ $prefix }}_CLIENT_KEY
  valueFrom:
    secretKeyRef: { name: {{ . }}, key: {{ $tls.clientKeyKey }} }
{{- end }}
{{- end -}}

{{- define "sluice.databaseEnv" -}}
{{ include "sluice.secretEnv" (list . .Values.postgres "DATABASE_URL" (include "sluice.urlsSecret" .)) }}
{{- include "sluice.tlsEnv" (list .Values.postgres.tls "DATABASE") }}
{{- end -}}

{{- define "sluice.redisEnv" -}}
{{ include "sluice.secretEnv" (list . .Values.redis "REDIS_URL" (include "sluice.urlsSecret" .)) }}
{{- include "sluice.tlsEnv" (list .Values.redis.tls "REDIS") }}
{{- end -}}

{{- define "sluice.brokers" -}}
{{- if .Values.trial.enabled -}}{{ include "sluice.name" . }}-trial-kafka:9092{{- else -}}{{ join "," .Values.kafka.brokers }}{{- end -}}
{{- end -}}

{{/* How the brokers are reached. */}}
{{- define "sluice.kafkaEnv" -}}
{{- $kafka := .Values.kafka -}}
- { name: KAFKA_BROKERS, value: {{ include "sluice.brokers" . | quote }} }
{{- with $kafka.topicPrefix }}
- { name: KAFKA_TOPIC_PREFIX, value: {{ . | quote }} }
{{- end }}
{{- if $kafka.tls.enabled }}
- { name: KAFKA_TLS, value: 'on' }
{{- include "sluice.tlsEnv" (list $kafka.tls "KAFKA") }}
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

{{/* Ports of Postgres, Kafka and Redis: those that are listed, and those that values name. */}}
{{- define "sluice.dependencyPorts" -}}
{{- $ports := list -}}
{{- if .Values.trial.enabled }}{{ $ports = list 5432 9092 6379 }}{{ end -}}
{{- range .Values.networkPolicy.dependencyPorts }}{{ $ports = append $ports (int .) }}{{ end -}}
{{- range .Values.kafka.brokers }}{{ $ports = append $ports (splitList ":" . | last | int) }}{{ end -}}
{{- range list .Values.postgres.url .Values.redis.url .Values.migration.url -}}
{{- with . }}{{ with regexFind ":[0-9]+$" (urlParse .).host }}{{ $ports = append $ports (trimPrefix ":" . | int) }}{{ end }}{{ end -}}
{{- end -}}
{{- toJson (uniq $ports) -}}
{{- end -}}

{{/* Where browsers reach an API: (list $ "write"). The setting, or https:// and its ingress host; empty without either. */}}
{{- define "sluice.publicUrl" -}}
{{- $root := index . 0 }}{{ $api := index . 1 }}{{ $settings := $root.Values.settings -}}
{{- $set := dict "management" $settings.publicUrl "search" $settings.publicSearchUrl "write" $settings.publicWriteUrl -}}
{{- with get $set $api }}{{ . }}{{ else }}{{ with first (include "sluice.hosts" (list $root (get $root.Values.ingress.hosts $api)) | fromJsonArray) }}https://{{ . }}{{ end }}{{ end -}}
{{- end -}}

{{/* The hosts of one base URL as a JSON list: a value that is one host, or several. */}}
{{- define "sluice.hosts" -}}
{{- $hosts := index . 1 -}}
{{- if kindIs "slice" $hosts }}{{ toJson $hosts }}{{ else }}{{ list $hosts | compact | toJson }}{{ end -}}
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
{{- with join "," $values.settings.trustedProxies }}
- { name: SLUICE_TRUSTED_PROXIES, value: {{ . | quote }} }
{{- end }}
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
{{ include "sluice.redisEnv" $root }}
{{- end }}
{{- if eq $service "management" }}
{{ include "sluice.secretEnv" (list $root $values.adminKey "SLUICE_ADMIN_KEY" (include "sluice.keysSecret" $root)) }}
{{- with include "sluice.publicUrl" (list $root "management") }}
- { name: SLUICE_PUBLIC_URL, value: {{ . | quote }} }
{{- end }}
{{- with include "sluice.publicUrl" (list $root "search") }}
- { name: SLUICE_PUBLIC_SEARCH_URL, value: {{ . | quote }} }
{{- end }}
{{- with include "sluice.publicUrl" (list $root "write") }}
- { name: SLUICE_PUBLIC_WRITE_URL, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- if has $service (list "management" "executor") }}
- { name: SLUICE_RETENTION_DAYS, value: {{ $values.settings.retentionDays | int | quote }} }
{{- end }}
{{- if eq $service "executor" }}
- { name: SLUICE_OPERATION_RETENTION_DAYS, value: {{ $values.settings.operationRetentionDays | int | quote }} }
{{- end }}
{{ include "sluice.providersEnv" $root }}
{{ include "sluice.telemetryEnv" $root }}
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

{{/* Whether a service is autoscaled: (list $ $own). Empty if not: without a replica there is nothing to scale. */}}
{{- define "sluice.isAutoscaled" -}}
{{- $own := index . 1 -}}
{{- if and $own.autoscaling.enabled (or (gt (int $own.replicas) 0) (include "sluice.followsKeda" $own)) }}true{{ end -}}
{{- end -}}

{{- define "sluice.followsKeda" -}}
{{- $keda := .autoscaling.keda | default dict -}}
{{- if or $keda.serverAddress $keda.triggers }}true{{ end -}}
{{- end -}}

{{/* Connections that the services open at full scale, with one more pod of each while a roll-out goes on, and the migration. */}}
{{- define "sluice.connections" -}}
{{- $sum := 2 -}}
{{- range .Values.services -}}
{{- $most := ternary (max (int .autoscaling.maxReplicas) (int .replicas)) (int .replicas) .autoscaling.enabled -}}
{{- $sum = add $sum (mul (add $most 1) (int .databasePool)) -}}
{{- end -}}
{{- $sum -}}
{{- end -}}
