package load

import (
	"net"
	"path"
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

const (
	// readyPath is what a gateway answers once it has reached the target; it is gateway.ReadyPath, which the operator does
	// not import.
	readyPath = "/ready"
	// mostStarting is how many seconds a gateway may take to reach the target. It gives up by itself, and says why, before
	// that.
	mostStarting = int32(300)
)

// Gateway is the Job of the gateway that a load goes through. Its pods serve until they are removed. None is made
// again: the load pods know them by their addresses, and a measurement that was cut is no measurement.
func (p Pods) Gateway() *batchv1.Job {
	pods := int32(p.Plan.Gateway.Pods)
	meta := desired.OfRun(p.Run, naming.Gateway(p.Run.Name), naming.ComponentGateway)
	if !p.Whole {
		meta.Labels = naming.Queued(meta.Labels, p.Run.Labels)
	}
	labels := p.labels()
	labels[naming.ComponentLabel] = string(naming.ComponentGateway)
	job := &batchv1.Job{
		ObjectMeta: meta,
		Spec: batchv1.JobSpec{
			CompletionMode:        new(batchv1.IndexedCompletion),
			Completions:           &pods,
			Parallelism:           &pods,
			BackoffLimit:          new(int32(0)),
			ActiveDeadlineSeconds: new(int64(p.Time.Seconds())),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: podspec.StayAnnotations()},
				Spec:       p.gatewayPod(),
			},
		},
	}
	podspec.Apply(p.Settings, &job.Spec.Template, naming.SelectRun(p.Run.Name))
	return job
}

// gatewayPod has nothing to do with the API server.
func (p Pods) gatewayPod() corev1.PodSpec {
	var files product.Files
	files.ConfigMap("plan", naming.PlanConfigMap(p.Run.Name, p.Hash), naming.PlanPath, nil)
	way := way{files: &files}
	way.to(p.Target)
	way.authenticity(p.Target)
	resources, memory := gateways(p.Run)
	return corev1.PodSpec{
		AutomountServiceAccountToken:  new(false),
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: new(loadGrace),
		EnableServiceLinks:            new(false),
		SecurityContext:               podspec.PodSecurity(podspec.LoadgenUser),
		Affinity:                      p.affinity(),
		Volumes:                       files.Volumes,
		Containers: []corev1.Container{{
			Name:            naming.GatewayContainer,
			Image:           imageOf(p.Run, p.Image),
			ImagePullPolicy: corev1.PullIfNotPresent,
			Args: slices.Concat([]string{
				"gateway", "--plan", path.Join(naming.PlanPath, naming.PlanKey),
				"--listen", ":" + strconv.Itoa(naming.GatewayPort),
			}, sharedSecret("--secret-file", p.Target.Status.Connection, "--allow-anybody"), way.arguments),
			Ports: []corev1.ContainerPort{{
				Name: "gateway", ContainerPort: naming.GatewayPort, Protocol: corev1.ProtocolTCP,
			}},
			Env:       []corev1.EnvVar{podspec.Limit(naming.CPULimitEnv, corev1.ResourceCPU, "1m"), memory},
			Resources: resources,
			// Nothing is asked of it once it serves, when that would be measured.
			StartupProbe: &corev1.Probe{
				ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
					Path: readyPath, Port: intstr.FromInt32(naming.GatewayPort),
				}},
				PeriodSeconds: 1, FailureThreshold: mostStarting,
			},
			VolumeMounts:             files.Mounts,
			SecurityContext:          podspec.ContainerSecurity(),
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		}},
	}
}

// gateways are the resources of a gateway's pod, and the variable that tells Go how much memory it may take.
func gateways(run *benchv1alpha1.BenchmarkRun) (corev1.ResourceRequirements, corev1.EnvVar) {
	return sized(*spec.LoadGenerator(run.Spec.LoadGenerator).Gateway.Resources)
}

// sharedSecret gives a flag the file of what load pods and gateways both log in to the target with; otherwise, where
// there is no such thing, is what is said in its place.
func sharedSecret(flag string, connection *benchv1alpha1.TargetConnection, otherwise ...string) []string {
	switch {
	case connection.CredentialsSecretName != nil:
		return []string{flag, path.Join(naming.CredentialsPath, naming.PasswordKey)}
	case connection.URISecretRef != nil:
		return []string{flag, path.Join(naming.URIPath, connection.URISecretRef.Key)}
	case connection.ClientCertificateSecretName != nil:
		return []string{flag, path.Join(naming.ClientPath, corev1.TLSPrivateKeyKey)}
	default:
		return otherwise
	}
}

// through tells load pods which gateways they go through.
func (p Pods) through() (arguments []string) {
	for _, address := range p.Gateways {
		arguments = append(arguments, "--gateway", address)
	}
	if len(arguments) == 0 {
		return nil
	}
	return append(arguments, sharedSecret("--gateway-secret-file", p.Target.Status.Connection)...)
}

// Serving are the addresses of a gateway's pods once as many serve as are wanted; else nil. They are in the order of
// their indexes, so that what is made of them is always the same.
func Serving(pods []corev1.Pod, wanted int) []string {
	var addresses []string
	for index := range wanted {
		pod := Pod(pods, index)
		if pod == nil || pod.Status.PodIP == "" || pod.DeletionTimestamp != nil {
			return nil
		}
		ready := podfault.Condition(pod, corev1.PodReady)
		if ready == nil || ready.Status != corev1.ConditionTrue {
			return nil
		}
		addresses = append(addresses, "http://"+net.JoinHostPort(pod.Status.PodIP, strconv.Itoa(naming.GatewayPort)))
	}
	return addresses
}

// GatewayPolicy lets only the load pods of its run reach a gateway. Probes come from the node, which no policy holds
// back.
func GatewayPolicy(run *benchv1alpha1.BenchmarkRun) *networkingv1.NetworkPolicy {
	pods := func(component naming.Component) metav1.LabelSelector {
		labels := naming.SelectRun(run.Name)
		labels[naming.ComponentLabel] = string(component)
		return metav1.LabelSelector{MatchLabels: labels}
	}
	return &networkingv1.NetworkPolicy{
		ObjectMeta: desired.OfRun(run, naming.Gateway(run.Name), naming.ComponentGateway),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: pods(naming.ComponentGateway),
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{
				From: []networkingv1.NetworkPolicyPeer{{PodSelector: new(pods(naming.ComponentLoad))}},
				Ports: []networkingv1.NetworkPolicyPort{{
					Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromInt32(naming.GatewayPort)),
				}},
			}},
		},
	}
}
