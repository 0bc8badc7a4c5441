package validation

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// session refuses one that the client does not keep, or the servers.
func (c stepCheck) session() {
	mode := c.step.Session
	if mode != benchv1alpha1.SessionCausal && mode != benchv1alpha1.SessionSnapshot {
		return
	}
	path, client := c.path.Child("session"), *c.spec.LoadGenerator.Client
	snapshot := mode == benchv1alpha1.SessionSnapshot
	c.Refuse(!snapshot && client != benchv1alpha1.ClientApplication, path, mode,
		"is kept by MongoDB's driver as an application has it; set spec.loadGenerator.client to Application")
	c.Refuse(snapshot && client != benchv1alpha1.ClientApplication && client != benchv1alpha1.ClientWire, path, mode,
		"is not kept by this client; set spec.loadGenerator.client to Application or Wire")
	target := c.spec.Target
	known := target != nil && (client == benchv1alpha1.ClientApplication || client == benchv1alpha1.ClientWire)
	c.Refuse(known && target.Topology() == benchv1alpha1.TopologyStandalone, path, mode,
		"needs a replica set, and the target is a standalone; set spec.target.mongodb.replicaSet, which may have a single "+
			"member")
	if snapshot {
		c.Refuse(known && target.Version() != "" &&
			!mongod.ParseRelease(target.Version()).AtLeast(mongod.Release{Major: 5}), path, mode,
			"needs MongoDB 5.0 or later, and the target is of version %s", target.Version())
		c.reads()
	}
}

// reads refuses the read concerns of what reads from a snapshot.
func (c stepCheck) reads() {
	for i := range c.step.Operations {
		declared := &c.step.Operations[i]
		c.Refuse(operation.Of(declared.Kind).Snapshots() && declared.ReadConcern != "" &&
			declared.ReadConcern != benchv1alpha1.ReadConcernSnapshot,
			c.path.Child("operations").Index(i).Child("readConcern"), declared.ReadConcern,
			"the step's session is Snapshot, which is the read concern of all that it reads; leave it out")
	}
}
