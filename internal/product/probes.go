package product

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// StartupProbe asks every second, so that no second is lost, and gives up no sooner than the target does: a member that
// recovers its journal must not be restarted, and neither a shard or router that does not even listen while its config
// servers are down. There is no liveness probe, since a server that fails ends by itself.
func StartupProbe(spec benchv1alpha1.BenchmarkTargetSpec) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: connectProbe(), PeriodSeconds: 1, TimeoutSeconds: 1, SuccessThreshold: 1,
		FailureThreshold: *spec.ProvisioningSeconds,
	}
}

// ReadinessProbe asks seldom: each time is a connection to the server that is being measured. The kubelet asks the
// first time as soon as the startup probe has succeeded.
func ReadinessProbe() *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: connectProbe(), PeriodSeconds: 10, TimeoutSeconds: 5, SuccessThreshold: 1, FailureThreshold: 3,
	}
}

// connectProbe opens a connection. A shell that speaks to the server would take half a core of the server's own CPU.
func connectProbe() corev1.ProbeHandler {
	return corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(naming.MongodPort)}}
}
