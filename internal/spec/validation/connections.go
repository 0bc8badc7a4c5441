package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// connections refuses what the client does not do with its connections, and all of it of databases other than MongoDB.
func (c stepCheck) connections() {
	declared := c.step.Connections
	if declared == nil {
		return
	}
	path, client := c.path.Child("connections"), *c.spec.LoadGenerator.Client
	if c.spec.Target != nil && !catalogue.Of(*c.spec.Target).Traits().Actions {
		c.Forbid(true, path, "is for MongoDB")
		return
	}
	if declared.PoolSize != nil {
		c.Refuse(client != benchv1alpha1.ClientApplication, path.Child("poolSize"), *declared.PoolSize,
			"is of the client Application; any other has a connection for each thread")
	}
	c.Refuse(declared.Reuse == benchv1alpha1.ConnectionReuseNever && client != benchv1alpha1.ClientWire,
		path.Child("reuse"), declared.Reuse,
		"is of the client Wire: MongoDB's driver keeps its connections; set spec.loadGenerator.client to Wire")
}

// forbidSweeps refuses those of steps that a growth repeats.
func forbidSweeps(found *product.Findings, steps []benchv1alpha1.Step, path *field.Path) {
	for i, step := range steps {
		swept := "threadSweep"
		if len(step.ThreadSweep) == 0 {
			swept = "connections.idleSweep"
		}
		found.Forbid(len(spec.Sweep(step)) > 0, path.Index(i).Child(swept),
			"a growth has its sizes as the dimension of the result; declare a step for each number of a sweep")
	}
}
