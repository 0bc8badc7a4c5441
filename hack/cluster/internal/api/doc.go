// Package api asks a running API server the few questions that `up` waits on. It is not a Kubernetes client: it knows
// no more of an object than the one condition that is waited for. It imports the standard library, pki and plan.
package api
