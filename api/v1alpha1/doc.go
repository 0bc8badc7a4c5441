// Package v1alpha1 is the Kubernetes API of mongobench: BenchmarkTarget (a deployment to measure), BenchmarkRun (one
// measurement of it) and BenchmarkSuite (runs that are repeated and compared).
//
// Files whose names end in _types.go have fields and nothing else; _conditions.go has the condition types and
// reasons; defaults.go has what an unset field means. Objects are stored as their authors wrote them: the API server
// fills in no default, so that a GitOps tool sees no difference, and the plan (api/plan/v1alpha1) is where every
// default becomes visible.
//
// It is not the place for behaviour. It imports apimachinery and the core API types, and no client.
//
// +kubebuilder:object:generate=true
// +groupName=mongobench.dev
package v1alpha1
