package decide

import (
	"bytes"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/golden"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// TestDesiredObjects compares all that a run makes with testdata/NAME.golden.yaml. To add a case, add it here and run
// the test with -update; then read what was written.
func TestDesiredObjects(t *testing.T) {
	cases := map[string]func(*world){
		"two-pods": func(*world) {},
		"one-pod-external": func(w *world) {
			refer(w)
			shareTarget(w)
			w.Target.Status.Connection = nil
			w.Run.Spec.LoadGenerator = nil
			w.Run.Spec.Concurrency = &benchv1alpha1.Concurrency{Database: new(benchv1alpha1.DatabaseShared)}
		},
		"kueue": func(w *world) {
			w.Run.Labels = map[string]string{
				naming.QueueLabel: "team", naming.PriorityLabel: "low", "example.com/other": "stays with the run",
			}
		},
		"gateway": func(w *world) {
			goesThrough(w)
			w.Run.Spec.LoadGenerator.Gateway.PodSettings = &benchv1alpha1.PodSettings{
				NodeSelector: map[string]string{"pool": "apps"},
			}
		},
		"logs-and-push": func(w *world) {
			w.Run.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{
				Logs: &benchv1alpha1.LoadLogs{
					PersistentVolumeClaim: benchv1alpha1.VolumeFolder{ClaimName: "results", Path: new("a/b")},
					Format:                new(benchv1alpha1.LogNDJSON),
				},
				Push: []benchv1alpha1.PushReceiver{
					{
						URL: "https://collector.example/v1/metrics", Protocol: benchv1alpha1.PushOTLP,
						HeadersSecretRef: &benchv1alpha1.NameReference{Name: "mongobench-push-collector"},
					},
					{
						URL: "http://prometheus:9090/api/v1/write", Protocol: benchv1alpha1.PushRemoteWrite,
						IntervalSeconds: new(int32(5)),
					},
				},
				PushLabels: map[string]benchv1alpha1.PushLabelValue{"team": "payments", "image": "mongo:8.0@sha256:1f"},
			}
		},
		"own-image-and-resources": func(w *world) {
			w.Run.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{
				Image: new("registry.example/loadgen:2"),
				Resources: &corev1.ResourceRequirements{
					Limits:   targettest.Limits("2", "1Gi").Limits,
					Requests: targettest.Requests("1", "").Requests,
				},
			}
			w.Run.Spec.Deadlines = &benchv1alpha1.Deadlines{
				SchedulingSeconds: new(int32(60)), LoadingSeconds: new(int32(600)), MeasuringSeconds: new(int32(120)),
			}
		},
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			change(w)
			w.settle()
			w.targetReady()
			if w.Run.Spec.TargetRef != nil {
				w.Target.Status.Connection = &benchv1alpha1.TargetConnection{
					URISecretRef: &benchv1alpha1.SecretKeyReference{Name: "where", Key: "uri"},
				}
			}
			compareGolden(t, name, Decide(w.Observation).Desired)
		})
	}
}

func compareGolden[T any](t *testing.T, name string, objects []T) {
	t.Helper()
	var text bytes.Buffer
	for _, object := range objects {
		document, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("---\n# " + kindOf(object) + "\n")
		text.Write(document)
	}
	golden.Compare(t, filepath.Join("testdata", name+".golden.yaml"), text.String())
}
