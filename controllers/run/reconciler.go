package run

import (
	"sync"

	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
)

// What the controller reads and writes of its own kind, of targets and the pods of their members, and of what it makes.
// It must hold the rights that it gives to load pods, which are get and patch on ConfigMaps.
//
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarkruns,verbs=get;list;watch
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarkruns/status,verbs=update
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=mongobench.dev,resources=benchmarktargets/status,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps;serviceaccounts,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups="",resources=events,verbs=list
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles;rolebindings,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler brings BenchmarkRuns to their end. It may be thrown away and replaced at any time, with a new queue.
type Reconciler struct {
	loop.Cluster

	// queue says whose turn it is.
	queue queue.Queue
	// seeding is held while the queue is told of all runs.
	seeding sync.Mutex
}
