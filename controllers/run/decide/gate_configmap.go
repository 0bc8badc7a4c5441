package decide

import (
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// gateLead is how far ahead a start instant is published: five times the pods' polling.
const gateLead = time.Second

// gateConfigMap holds the start instants of the steps, and which pods actions are done to. An instant is published once
// every load pod has reached the step, a little ahead, and never changed: pods may have read it. So the object carries
// the version that was observed, and a write that rests on an older one is refused by the API server.
func gateConfigMap(s *state) *corev1.ConfigMap {
	gate := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:      naming.GateConfigMap(s.Run.Name),
			Namespace: s.Run.Namespace,
			Labels:    naming.ForRun(s.Run.Name, naming.ComponentGate),
		},
	}
	observed := s.ConfigMaps[gate.Name]
	if observed == nil {
		return gate
	}
	gate.ResourceVersion = observed.ResourceVersion
	gate.Data = maps.Clone(observed.Data)
	s.actions().Record(gate)
	if !s.load.Waiting() || s.load.Plan.Pods < 2 {
		return gate
	}
	key := planv1alpha1.GateKey(s.load.Index())
	if _, published := gate.Data[key]; published {
		return gate
	}
	if gate.Data == nil {
		gate.Data = map[string]string{}
	}
	gate.Data[key] = planv1alpha1.FormatStart(s.Now.Add(gateLead))
	return gate
}
