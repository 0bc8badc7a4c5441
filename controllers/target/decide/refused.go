package decide

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// refusal is why the API server refused an object. What waiting does not mend ends the wait, once the target has had
// the time in which it might have.
func refusal(o Observation) podfault.Fault {
	fault, began := o.ApplyFault, o.Target.Status.ProvisioningStartTime
	fault.Terminal = fault.Terminal && began != nil && o.Now.Sub(began.Time) >= podfault.RefusalGrace
	return fault
}

// topologyHeld says that something else than the operator keeps the topology Job from its pod.
func topologyHeld(o Observation) string {
	job := o.TopologyJob
	if job == nil || !ptr.Deref(job.Spec.Suspend, false) {
		return ""
	}
	queue, queued := job.Labels[naming.QueueLabel]
	if !queued {
		return fmt.Sprintf("; Job %s is suspended, and not by this operator: if Kueue wants every Job in a queue, give "+
			"the target the label %s", job.Name, naming.QueueLabel)
	}
	return fmt.Sprintf("; Job %s is suspended; Kueue admits it from queue %q", job.Name, queue)
}
