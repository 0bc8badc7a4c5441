package decide

import (
	"bytes"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/golden"
)

// TestDesiredObjects compares what a suite makes with testdata/NAME.golden.yaml. To add a case, add it here and run the
// test with -update; then read what was written.
func TestDesiredObjects(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*benchv1alpha1.BenchmarkSuite)
		play   func(*world)
	}{
		"first-run": {
			change: func(s *benchv1alpha1.BenchmarkSuite) {
				s.Spec.Template.Metadata = benchv1alpha1.RunTemplateMetadata{
					Labels:      map[string]string{queueLabel: "bench"},
					Annotations: map[string]string{"example.com/owner": "us"},
				}
			},
			play: nothing,
		},
		"first-run-of-a-shared-target": {
			change: func(s *benchv1alpha1.BenchmarkSuite) {
				s.Spec.TargetReuse = new(benchv1alpha1.TargetReusePerVariant)
			},
			play: nothing,
		},
		"results": {
			change: func(*benchv1alpha1.BenchmarkSuite) {},
			play: func(w *world) {
				for range 4 {
					w.settle()
					w.succeed(w.active()[0], 10_000)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.change)
			tc.play(w)
			w.Plan, w.Invalid = suite.Compile(w.Suite)
			decision := Decide(w.Observation)
			objects := decision.Desired
			for _, object := range objects {
				withoutContent(object)
			}
			for _, run := range decision.Create {
				objects = append(objects, run)
			}
			compareGolden(t, name, objects)
		})
	}
}

// withoutContent leaves out what package comparison writes.
func withoutContent(object desired.Object) {
	stored, ok := object.(*corev1.ConfigMap)
	if !ok {
		return
	}
	for key := range stored.BinaryData {
		stored.BinaryData[key] = nil
	}
	for key := range stored.Data {
		stored.Data[key] = "..."
	}
}

func compareGolden(t *testing.T, name string, objects []desired.Object) {
	t.Helper()
	var text bytes.Buffer
	for _, object := range objects {
		document, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("---\n")
		text.Write(document)
	}
	golden.Compare(t, filepath.Join("testdata", name+".golden.yaml"), text.String())
}
