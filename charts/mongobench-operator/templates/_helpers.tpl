{{/* Name of everything that the release has one of. */}}
{{- define "mongobench.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-operator" (.Release.Name | trunc 43 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- define "mongobench.serviceAccount" -}}
{{- default (include "mongobench.name" .) .Values.serviceAccount.name -}}
{{- end -}}

{{/* Labels that select the operator's pods. */}}
{{- define "mongobench.selector" -}}
app.kubernetes.io/name: mongobench-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "mongobench.labels" -}}
{{ include "mongobench.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: operator
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* What the operator does in the namespaces that it watches: every verb here is used, and no other. */}}
{{- define "mongobench.rules" -}}
- apiGroups: [mongobench.dev]
  resources: [benchmarksuites]
  verbs: [get, list, watch]
- apiGroups: [mongobench.dev]
  resources: [benchmarkruns, benchmarktargets]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [mongobench.dev]
  resources: [benchmarkruns/status, benchmarksuites/status, benchmarktargets/status]
  verbs: [update]
- apiGroups: [""]
  resources: [configmaps, secrets, serviceaccounts, services]
  verbs: [get, list, watch, create, patch, delete]
# Actions of a workload label a member's pod, to cut it off, or delete it.
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, patch, delete]
- apiGroups: [apps]
  resources: [statefulsets]
  verbs: [get, list, watch, create, patch, delete]
# The storage class of a member's volume, for the fingerprint of a result.
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch, create, delete]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [roles, rolebindings]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create, patch, delete]
# Only for targets that the MongoDB Community Operator deploys.
- apiGroups: [mongodbcommunity.mongodb.com]
  resources: [mongodbcommunity]
  verbs: [get, create, patch, delete]
# Only for targets that name an issuer of cert-manager.
- apiGroups: [cert-manager.io]
  resources: [certificates]
  verbs: [get, create, patch, delete]
# A pod that could not be made leaves its cause in an event alone.
- apiGroups: [""]
  resources: [events]
  verbs: [list]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}
