{{/*
The one definition of a pod. Every workload of the chart gives the lines that only it has and gets all else from here:

  include "sluice.pod" (dict "root" $ "component" "executor" "own" $own "pod" $lines)

  pod          its pod spec as YAML text: containers with name, env, ports, probes, mounts; init containers; volumes
  own          its part of values.yaml: laid over the values of the same name at the top, which are for every pod
  annotations  further annotations of the pod, as YAML text
  foreign      true where the image is not ours: it gets no environment and no mounts but those of `own`, whose security contexts are laid over
               those of `pod`

A value that only has to be copied into the pod spec is one name in $copied, and its shape one line in values.schema.json.
*/}}
{{- define "sluice.pod" -}}
{{- $copied := list "nodeSelector" "tolerations" "affinity" "priorityClassName" "runtimeClassName" "schedulerName" "dnsPolicy" "dnsConfig" "hostAliases" "terminationGracePeriodSeconds" -}}
{{- $root := .root }}{{ $component := .component }}{{ $own := .own | default dict }}{{ $isOurs := not .foreign -}}
{{- $values := $root.Values }}{{ $common := ternary $values dict $isOurs -}}
{{- $spec := fromYaml .pod -}}
{{- with $spec.Error }}{{ fail (printf "the pod of %s: %s" $component .) }}{{ end -}}

{{- range $name := $copied -}}
{{- $value := include "sluice.layered" (list (get $values $name) (get $own $name)) | fromJson -}}
{{- if $value.value }}{{ $_ := set $spec $name $value.value }}{{ end -}}
{{- end -}}

{{- /* Else each Service of the namespace adds variables, and a Service named sluice would make SLUICE_PORT a URL. */}}
{{- $_ := set $spec "enableServiceLinks" false -}}
{{- if not (hasKey $spec "automountServiceAccountToken") }}{{ $_ := set $spec "automountServiceAccountToken" false }}{{ end -}}
{{- $under := ternary $common.podSecurityContext $spec.securityContext $isOurs -}}
{{- with include "sluice.layered" (list $under $own.podSecurityContext) | fromJson }}{{ with .value }}{{ $_ := set $spec "securityContext" . }}{{ end }}{{ end -}}
{{- with include "sluice.pullSecrets" $root | fromJsonArray }}{{ $_ := set $spec "imagePullSecrets" . }}{{ end -}}
{{- with include "sluice.spread" (list $root $component $own $isOurs) | fromJsonArray }}{{ $_ := set $spec "topologySpreadConstraints" . }}{{ end -}}
{{- with concat ($spec.volumes | default list) ($common.extraVolumes | default list) ($own.extraVolumes | default list) }}{{ $_ := set $spec "volumes" . }}{{ end -}}

{{- $security := (include "sluice.layered" (list $common.containerSecurityContext $own.containerSecurityContext) | fromJson).value -}}
{{- range $part := list "initContainers" "containers" -}}
{{- range $container := get $spec $part | default list -}}
{{- $_ := set $container "imagePullPolicy" $values.image.pullPolicy -}}
{{- $layered := include "sluice.layered" (list (ternary nil $container.securityContext $isOurs) $security) | fromJson -}}
{{- with $layered.value }}{{ $_ := set $container "securityContext" . }}{{ end -}}
{{- with concat ($container.volumeMounts | default list) ($common.extraVolumeMounts | default list) ($own.extraVolumeMounts | default list) }}{{ $_ := set $container "volumeMounts" . }}{{ end -}}
{{- /* The settings of a service are not for what runs before it. */}}
{{- $isMain := eq $part "containers" -}}
{{- with include "sluice.mergedEnv" (list ($container.env | default list) ($common.env | default dict) (ternary ($own.env | default dict) dict $isMain)) | fromJsonArray }}{{ $_ := set $container "env" . }}{{ end -}}
{{- with concat ($common.envFrom | default list) (ternary ($own.envFrom | default list) list $isMain) }}{{ $_ := set $container "envFrom" . }}{{ end -}}
{{- if and $isMain (not (hasKey $container "resources")) }}{{ with $own.resources }}{{ $_ := set $container "resources" . }}{{ end }}{{ end -}}
{{- end -}}
{{- end -}}
{{- /* What the user adds stays as it was given. */}}
{{- with concat ($own.initContainers | default list) ($spec.initContainers | default list) }}{{ $_ := set $spec "initContainers" . }}{{ end -}}
{{- with $own.sidecars }}{{ $_ := set $spec "containers" (concat $spec.containers .) }}{{ end -}}

{{- $labels := include "sluice.selector" (list $root $component) | fromYaml -}}
{{- $annotations := .annotations | default "" | fromYaml -}}
{{- range list $values $own }}{{ include "sluice.lay" (list (deepCopy (.podLabels | default dict)) $labels) }}{{ include "sluice.lay" (list (deepCopy (.podAnnotations | default dict)) $annotations) }}{{ end -}}
{{- $metadata := dict "labels" $labels }}{{ with $annotations }}{{ $_ := set $metadata "annotations" . }}{{ end -}}
{{- toYaml (dict "metadata" $metadata "spec" $spec) -}}
{{- end -}}

{{/* A pod of `helm test`: what sluice.pod takes, with "name" and "weight". */}}
{{- define "sluice.testPod" -}}
{{- $pod := include "sluice.pod" . | fromYaml -}}
{{- $annotations := $pod.metadata.annotations | default dict -}}
{{- $_ := set $annotations "helm.sh/hook" "test" -}}
{{- $_ := set $annotations "helm.sh/hook-weight" (.weight | toString) -}}
{{- /* Helm 4.1 reads the logs before it deletes; `helm test --logs` of an older one would find no pod. */}}
{{- $isGone := semverCompare ">=4.1.0-0" .root.Capabilities.HelmVersion.Version -}}
{{- $_ := set $annotations "helm.sh/hook-delete-policy" (ternary "before-hook-creation,hook-succeeded,hook-failed" "before-hook-creation" $isGone) -}}
{{- $_ := set $annotations "helm.sh/hook-output-log-policy" "hook-failed" -}}
{{- toYaml (dict "apiVersion" "v1" "kind" "Pod" "metadata" (dict "name" .name "labels" $pod.metadata.labels "annotations" $annotations) "spec" $pod.spec) -}}
{{- end -}}

{{/* Lays a map over another one, in place: what is null there goes, maps inside are laid over each other. Renders nothing. */}}
{{- define "sluice.lay" -}}
{{- $over := index . 0 }}{{ $under := index . 1 -}}
{{- range $key, $value := $over -}}
{{- if kindIs "invalid" $value }}{{ $_ := unset $under $key }}
{{- else if and (kindIs "map" $value) (kindIs "map" (get $under $key)) }}{{ include "sluice.lay" (list $value (get $under $key)) }}
{{- else }}{{ $_ := set $under $key $value }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* A value for every pod under the one of a workload, as JSON { value }: maps are laid over each other, anything else stands in place of it. */}}
{{- define "sluice.layered" -}}
{{- $under := index . 0 }}{{ $over := index . 1 -}}
{{- if or (kindIs "map" $under) (kindIs "map" $over) -}}
{{- $result := dict -}}
{{- range list $under $over }}{{ include "sluice.lay" (list (deepCopy (. | default dict)) $result) }}{{ end -}}
{{- dict "value" $result | toJson -}}
{{- else -}}
{{- dict "value" ($over | default $under) | toJson -}}
{{- end -}}
{{- end -}}

{{/* The environment of a container as JSON: what the chart says, and over it, by name, the maps of the user. */}}
{{- define "sluice.mergedEnv" -}}
{{- $given := dict }}{{ include "sluice.lay" (list (deepCopy (index . 1)) $given) }}{{ include "sluice.lay" (list (deepCopy (index . 2)) $given) -}}
{{- $env := list -}}
{{- range index . 0 }}{{ if not (hasKey $given .name) }}{{ $env = append $env . }}{{ end }}{{ end -}}
{{- range $name, $value := $given -}}
{{- $entry := dict "name" $name -}}
{{- if kindIs "map" $value }}{{ $_ := set $entry "valueFrom" $value.valueFrom }}{{ else }}{{ $_ := set $entry "value" ($value | toString) }}{{ end -}}
{{- $env = append $env $entry -}}
{{- end -}}
{{- toJson $env -}}
{{- end -}}

{{/* Names of pull secrets as JSON: those of the chart, and those for a whole installation. Each a name, or { name }. */}}
{{- define "sluice.pullSecrets" -}}
{{- $secrets := list -}}
{{- range concat (dig "imagePullSecrets" list (.Values.global | default dict)) .Values.image.pullSecrets -}}
{{- $secrets = append $secrets (ternary . (dict "name" .) (kindIs "map" .)) -}}
{{- end -}}
{{- toJson (uniq $secrets) -}}
{{- end -}}

{{/* Constraints of the user as JSON, each with the labels of the component where it selects none; else, for a service, softly over the nodes. */}}
{{- define "sluice.spread" -}}
{{- $root := index . 0 }}{{ $component := index . 1 }}{{ $own := index . 2 }}{{ $values := $root.Values -}}
{{- $selector := dict "matchLabels" (include "sluice.selector" (list $root $component) | fromYaml) -}}
{{- $constraints := list -}}
{{- range $own.topologySpreadConstraints | default (ternary ($values.topologySpreadConstraints | default list) list (index . 3)) -}}
{{- $constraint := deepCopy . -}}
{{- if not (hasKey $constraint "labelSelector") }}{{ $_ := set $constraint "labelSelector" $selector }}{{ end -}}
{{- $constraints = append $constraints $constraint -}}
{{- end -}}
{{- if and (not $constraints) (hasKey $values.services $component) $values.topologySpread.enabled -}}
{{- $constraints = list (dict "maxSkew" 1 "topologyKey" $values.topologySpread.topologyKey "whenUnsatisfiable" "ScheduleAnyway" "labelSelector" $selector) -}}
{{- end -}}
{{- toJson $constraints -}}
{{- end -}}

{{/* Of a trial: waits until these listen, instead of failing into the node's growing back-off: (list $ (list "trial-kafka:9092")). */}}
{{- define "sluice.waitContainer" -}}
{{- $root := index . 0 -}}
name: wait
image: {{ include "sluice.image" (list $root "migrate" $root.Values.migration) }}
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
    const addresses = {{ index . 1 | toJson }}.map((address) => ({{ include "sluice.name" $root | quote }} + '-' + address).split(':'));
    Promise.all(addresses.map(([host, port]) => listens(host, Number(port)))).then(() => process.exit(0));
resources: {{ toJson $root.Values.migration.resources }}
{{- end -}}

{{/* What brings the database and the topics to this version; safe to run again and by several pods at once: (list $ "secret with DATABASE_URL"). */}}
{{- define "sluice.migrateContainer" -}}
{{- $root := index . 0 }}{{ $values := $root.Values -}}
{{- $database := ternary $values.migration $values.postgres (ne $values.migration.existingSecret "") -}}
name: migrate
image: {{ include "sluice.image" (list $root "migrate" $values.migration) }}
{{- if ($values.migrate).from02 }}
args: [node, migrate.mjs, --from-0.2]
{{- end }}
env: {{ include "sluice.checkedSecrets" (print (include "sluice.secretEnv" (list $root $database "DATABASE_URL" (index . 1))) "\n" (include "sluice.tlsEnv" (list $values.postgres.tls "DATABASE")) "\n" (include "sluice.kafkaEnv" $root)) }}
resources: {{ toJson $values.migration.resources }}
{{- end -}}

{{/*
An environment as JSON, where a Secret that is missing leaves its variable out in place of a pod that never starts and says nothing:
the process compares with MIGRATE_SECRETS, and ends with the name of what is missing.
*/}}
{{- define "sluice.checkedSecrets" -}}
{{- $env := fromYamlArray . }}{{ $sources := dict -}}
{{- range $entry := $env -}}
{{- with dig "valueFrom" "secretKeyRef" dict $entry }}{{ $_ := set . "optional" true }}{{ $_ := set $sources $entry.name (printf "key %s of the Secret %s" .key .name) }}{{ end -}}
{{- end -}}
{{- toJson (append $env (dict "name" "MIGRATE_SECRETS" "value" (toJson $sources))) -}}
{{- end -}}
