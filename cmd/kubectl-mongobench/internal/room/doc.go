// Package room tells what the nodes of a cluster have, and how much of it the pods on them ask for.
//
// Read asks the API server once, as a user who may not be allowed to see everything: what cannot be seen is said, and
// never taken for empty. The arithmetic is that of internal/capacity, which the operator reckons with before it makes a
// target, too. Nothing here decides whether something fits: package estimate does.
//
// It imports internal/capacity, the API types of Kubernetes and a reader of controller-runtime.
package room
