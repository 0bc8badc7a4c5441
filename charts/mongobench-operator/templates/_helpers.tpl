{{/* Name of everything that the release has one of. Names derived from it are up to 11 characters longer. */}}
{{- define "mongobench.name" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains (.Values.nameOverride | default .Chart.Name) .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else if .Values.nameOverride -}}
{{- printf "%s-%s" .Release.Name .Values.nameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-operator" (.Release.Name | trunc 43 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- define "mongobench.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (.Values.serviceAccount.create | ternary (include "mongobench.name" .) "default") -}}
{{- end -}}

{{/* Whether objects may be made that belong to no namespace: "true" or nothing. */}}
{{- define "mongobench.clusterRoles" -}}
{{- if .Values.rbac.create -}}
{{- if kindIs "bool" .Values.rbac.clusterRoles -}}
{{- if .Values.rbac.clusterRoles -}}true{{- else if not .Values.watchNamespaces -}}
{{- fail "rbac.clusterRoles is false, and watchNamespaces is empty: to watch every namespace, the operator needs a ClusterRole" -}}
{{- end -}}
{{- else if not .Values.watchNamespaces -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether admission policies are made: "true" or nothing. */}}
{{- define "mongobench.admissionPolicies" -}}
{{- if kindIs "bool" .Values.admissionPolicies.create -}}
{{- if .Values.admissionPolicies.create -}}true{{- end -}}
{{- else -}}
{{- include "mongobench.clusterRoles" . -}}
{{- end -}}
{{- end -}}

{{/* A repository, from the registry that the release uses for all images: a list of the root and the repository. */}}
{{- define "mongobench.repository" -}}
{{- $registry := ((index . 0).Values.global).imageRegistry -}}
{{- $parts := splitList "/" (index . 1) -}}
{{- if not $registry -}}
{{- index . 1 -}}
{{- else if and (gt (len $parts) 1) (or (contains "." (first $parts)) (contains ":" (first $parts)) (eq "localhost" (first $parts))) -}}
{{- printf "%s/%s" (trimSuffix "/" $registry) (join "/" (rest $parts)) -}}
{{- else -}}
{{- printf "%s/%s" (trimSuffix "/" $registry) (index . 1) -}}
{{- end -}}
{{- end -}}

{{/* An image of the release: a list of the root and its settings. */}}
{{- define "mongobench.image" -}}
{{- $image := index . 1 -}}
{{- $repository := include "mongobench.repository" (list (index . 0) $image.repository) -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository ($image.tag | default (index . 0).Chart.AppVersion) -}}
{{- end -}}
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

{{/*
Labels and annotations of an object: a list of the root and the object's own labels and annotations, which may be nil.
Its own win over those of all objects, and the chart's over both.
*/}}
{{- define "mongobench.metadata" -}}
{{- $root := index . 0 -}}
{{- $fixed := include "mongobench.labels" $root | fromYaml -}}
labels: {{- mergeOverwrite (dict) ($root.Values.commonLabels | default (dict)) (index . 1 | default (dict)) $fixed | toYaml | nindent 2 }}
{{- with mergeOverwrite (dict) ($root.Values.commonAnnotations | default (dict)) (index . 2 | default (dict)) }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
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
  resources: [configmaps, serviceaccounts, services]
  verbs: [get, list, watch, create, patch, delete]
# Passwords and certificates of targets, by their names, and connection strings that carry the label for it. One that
# cert-manager made is patched, to go with its target.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, create, patch]
# Actions of a workload delete a member's pod.
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch, delete]
- apiGroups: [apps]
  resources: [statefulsets]
  verbs: [get, list, watch, create, patch, delete]
# The storage class of a member's volume, for the fingerprint of a result. Those of the MongoDB Community Operator are patched,
# to go with their target.
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get, patch]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch, create, delete]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [roles, rolebindings]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create, patch, delete]
# Which installation works in a namespace. A name cannot limit what is created.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [mongobench-installation]
  verbs: [get, update]
# Nothing that is measured is evicted meanwhile.
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, patch, delete]
# Only for targets that the MongoDB Community Operator deploys.
- apiGroups: [mongodbcommunity.mongodb.com]
  resources: [mongodbcommunity]
  verbs: [get, create, patch, delete]
# Only for runs that name a queue of Kueue, which ask it for room.
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads]
  verbs: [get, create, delete]
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads/status]
  verbs: [patch]
# Only for targets that name an issuer of cert-manager.
- apiGroups: [cert-manager.io]
  resources: [certificates]
  verbs: [get, create, patch, delete]
# Why an issuer does not answer is said by what cert-manager asks it by.
- apiGroups: [cert-manager.io]
  resources: [certificaterequests]
  verbs: [list]
# A pod that could not be made leaves its cause in an event alone.
- apiGroups: [""]
  resources: [events]
  verbs: [list]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}
