package decide

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// startupProbe asks every second, so that no second is lost, and gives up no sooner than the target does: a member
// that recovers its journal must not be restarted, and neither a shard or router that does not even listen while its
// config servers are down. There is no liveness probe, since a mongod that fails ends by itself.
func startupProbe(t *benchv1alpha1.BenchmarkTarget) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: connectProbe(), PeriodSeconds: 1, TimeoutSeconds: 1, SuccessThreshold: 1,
		FailureThreshold: provisioningSeconds(t.Spec),
	}
}

// readinessProbe asks seldom: each time is a connection to the server that is being measured. The kubelet asks the
// first time as soon as the startup probe has succeeded.
func readinessProbe() *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: connectProbe(), PeriodSeconds: 10, TimeoutSeconds: 5, SuccessThreshold: 1, FailureThreshold: 3,
	}
}

// connectProbe opens a connection. A shell that speaks to the server would take half a core of the server's own CPU.
func connectProbe() corev1.ProbeHandler {
	return corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(naming.MongodPort)}}
}

func provisioningSeconds(spec benchv1alpha1.BenchmarkTargetSpec) int32 {
	return ptr.Deref(spec.ProvisioningSeconds, benchv1alpha1.DefaultProvisioningSeconds)
}
