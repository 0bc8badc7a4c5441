// Package v1alpha1 is the Kubernetes API of mongobench: BenchmarkTarget (a MongoDB deployment to be measured) and
// BenchmarkRun (one measurement of it).
//
// The files whose names end in _types.go hold fields and nothing else; _conditions.go holds the condition types and
// reasons; _defaults.go holds what an unset field means. Objects are stored as their authors wrote them: the API server
// fills in no default, so that a GitOps tool sees no difference, and the plan (api/plan/v1alpha1) is where every
// default becomes visible.
//
// It is not the place for behaviour. It imports apimachinery and the core API types, and no client.
//
// +kubebuilder:object:generate=true
// +groupName=mongobench.dev
package v1alpha1
