{{- define "mgtm.labels" -}}
app.kubernetes.io/name: mgtm
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/* A Service's name begins with a letter and has no dot; a StatefulSet's has 52 characters at most, or its pods' labels are too long. */}}
{{- define "mgtm.gtm" -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]{0,46}[a-z0-9])?$" .Release.Name) }}
{{- fail (printf "the release's name is %q: it must be of 1 to 48 letters, digits and -, and begin with a letter" .Release.Name) }}
{{- end }}
{{- .Release.Name }}-gtm
{{- end }}
{{- define "mgtm.proxy" -}}{{ .Release.Name }}-proxy{{- end }}

{{/* Each GTM has the name of its pod, and an address that stays. */}}
{{- define "mgtm.members" -}}
{{- range $i := until (int .Values.gtm.replicas) }}{{ if $i }},{{ end }}{{ include "mgtm.gtm" $ }}-{{ $i }}={{ include "mgtm.gtm" $ }}-{{ $i }}.{{ include "mgtm.gtm" $ }}:7600{{ end }}
{{- end }}

{{- define "mgtm.nodes" -}}
{{- range $i := until (int .Values.gtm.replicas) }}{{ if $i }},{{ end }}{{ include "mgtm.gtm" $ }}-{{ $i }}.{{ include "mgtm.gtm" $ }}:6666{{ end }}
{{- end }}

{{- define "mgtm.pod" -}}
securityContext: {runAsNonRoot: true, runAsUser: 10001, runAsGroup: 10001, fsGroup: 10001, seccompProfile: {type: RuntimeDefault}}
automountServiceAccountToken: false
{{- with .Values.images.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
# A leader hands over, and a proxy lets clients finish.
terminationGracePeriodSeconds: 30
{{- end }}

{{- define "mgtm.container" -}}
securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
# Until it listens it may take as long as a large log takes to read.
startupProbe: {tcpSocket: {port: clients}, periodSeconds: 1, failureThreshold: 600}
livenessProbe: {tcpSocket: {port: clients}, periodSeconds: 10, failureThreshold: 6}
readinessProbe: {httpGet: {path: /health, port: metrics}, periodSeconds: 2}
{{- end }}

{{/* Not two of a kind on one machine. */}}
{{- define "mgtm.apart" -}}
podAntiAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    - topologyKey: kubernetes.io/hostname
      labelSelector: {matchLabels: {app.kubernetes.io/name: mgtm, app.kubernetes.io/instance: {{ .root.Release.Name | quote }}, app.kubernetes.io/component: {{ .component }}}}
{{- end }}
