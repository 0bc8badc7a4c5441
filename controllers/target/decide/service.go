package decide

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// membersService gives each member of every set its name. The names are published before the members are ready: a set
// is initiated by names that every member must resolve, its own included, and a member that is busy must not lose its
// name.
func membersService(t *benchv1alpha1.BenchmarkTarget) *corev1.Service {
	all := catalogue.Of(t.Spec).Ports(t.Spec)
	served := make([]corev1.ServicePort, 0, len(all))
	for _, port := range all {
		served = append(served, corev1.ServicePort{
			Name: port.Name, Port: port.Number, TargetPort: intstr.FromInt32(port.Number), Protocol: corev1.ProtocolTCP,
		})
	}
	return &corev1.Service{
		ObjectMeta: meta(t, naming.MembersService(t.Name), dataComponent(t.Spec)),
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			PublishNotReadyAddresses: true,
			Selector:                 naming.SelectMembers(t.Name),
			Ports:                    served,
		},
	}
}
