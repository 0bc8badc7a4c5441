package decide

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// gateConfigMap holds the start instants of the steps, and which pods actions are done to. An instant is published once
// every load pod has reached the step, a
// little ahead, and never changed: pods may have read it. So the object carries the version that was observed, and a
// write that rests on an older one is refused by the API server.
func (v *view) gateConfigMap() *corev1.ConfigMap {
	gate := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:      naming.GateConfigMap(v.Run.Name),
			Namespace: v.Run.Namespace,
			Labels:    naming.ForRun(v.Run.Name, naming.ComponentGate),
		},
	}
	observed := v.ConfigMaps[gate.Name]
	if observed == nil {
		return gate
	}
	gate.ResourceVersion = observed.ResourceVersion
	gate.Data = maps.Clone(observed.Data)
	v.recordActions(gate)
	step, wait := v.waitingAt()
	if !wait || v.plan.Pods < 2 {
		return gate
	}
	key := planv1alpha1.GateKey(step)
	if _, published := gate.Data[key]; published {
		return gate
	}
	if gate.Data == nil {
		gate.Data = map[string]string{}
	}
	gate.Data[key] = planv1alpha1.FormatStart(v.Now.Add(gateLead))
	return gate
}
