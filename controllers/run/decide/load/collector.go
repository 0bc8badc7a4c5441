package load

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// collectorRetries is how often the pod that collects reports is made again: what it reads and writes stays.
const collectorRetries = int32(5)

// Collector is what collects the reports of a run whose load pod 0 is gone.
type Collector struct {
	Run *benchv1alpha1.BenchmarkRun
	// Hash of the plan of the load pods.
	Hash string
	// Image of the load generator, unless the run names one.
	Image string
	// Settings of the pod, with every default.
	Settings benchv1alpha1.PodSettings
	// Target is the name of what was measured.
	Target string
	// Time is more than it may take.
	Time time.Duration
}

// Job is one pod with the rights and the limits of a load pod, which touches no database.
func (c Collector) Job() *batchv1.Job {
	// No queue has it: it is one small pod, and what has been measured waits for it.
	meta := desired.OfRun(c.Run, naming.CollectJob(c.Run.Name), naming.ComponentCollect)
	labels := naming.ForRun(c.Run.Name, naming.ComponentCollect)
	// Where all is denied, the NetworkPolicy of the target's clients lets it out to the API server.
	labels[naming.ClientLabel] = c.Target
	var files product.Files
	files.ConfigMap("plan", naming.PlanConfigMap(c.Run.Name, c.Hash), naming.PlanPath, nil)
	resources, memory := resourcesOf(c.Run)
	job := &batchv1.Job{
		ObjectMeta: meta,
		Spec: batchv1.JobSpec{
			BackoffLimit:          new(collectorRetries),
			ActiveDeadlineSeconds: new(int64(c.Time.Seconds())),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					ServiceAccountName: naming.LoadJob(c.Run.Name),
					RestartPolicy:      corev1.RestartPolicyNever,
					EnableServiceLinks: new(false),
					Affinity:           awayFromMembers(),
					SecurityContext:    podspec.PodSecurity(podspec.LoadgenUser),
					Volumes:            files.Volumes,
					Containers: []corev1.Container{{
						Name:                     naming.CollectContainer,
						Image:                    imageOf(c.Run, c.Image),
						ImagePullPolicy:          corev1.PullIfNotPresent,
						Args:                     slices.Concat([]string{"collect"}, partOf(c.Run.Name, c.Time)),
						Env:                      []corev1.EnvVar{podspec.Namespace(naming.NamespaceEnv), memory},
						Resources:                resources,
						VolumeMounts:             files.Mounts,
						SecurityContext:          podspec.ContainerSecurity(),
						TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
					}},
				},
			},
		},
	}
	podspec.Apply(c.Settings, &job.Spec.Template, naming.SelectRun(c.Run.Name))
	return job
}
