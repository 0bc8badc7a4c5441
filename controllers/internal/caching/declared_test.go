package caching

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// asks is a run that asks for about a number of bytes.
func asks(bytes int) *benchv1alpha1.BenchmarkRun {
	return &benchv1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: "r"},
		Spec: benchv1alpha1.BenchmarkRunSpec{
			Concurrency: &benchv1alpha1.Concurrency{Group: new("g")},
			TargetRef:   &benchv1alpha1.NameReference{Name: "t"},
			Dataset: benchv1alpha1.Dataset{
				Database: new("d"), Collections: []benchv1alpha1.Collection{{Name: "people"}},
			},
			Workload: benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{{Operations: []benchv1alpha1.Operation{
				{Request: benchv1alpha1.Request{Filter: benchv1alpha1.Verbatim(strings.Repeat("x", bytes))}},
			}}}},
		},
	}
}

// padded are settings of pods of about a number of bytes.
func padded(bytes int) *benchv1alpha1.PodSettings {
	return &benchv1alpha1.PodSettings{Annotations: map[string]string{"a": strings.Repeat("x", bytes)}}
}

var cut = map[string]string{naming.CutAnnotation: "true"}

func TestOfWhatIsLargeThatIsHeldWhichOthersNeed(t *testing.T) {
	queued := asks(0)
	queued.Annotations = cut
	queued.Spec.Dataset.Collections, queued.Spec.Workload = nil, benchv1alpha1.Workload{}
	large := asks(0)
	large.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{PodSettings: padded(maxPodSettings)}
	withoutPods := queued.DeepCopy()
	withoutPods.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{}
	target := func(settings *benchv1alpha1.PodSettings, annotations map[string]string) *benchv1alpha1.BenchmarkTarget {
		return &benchv1alpha1.BenchmarkTarget{
			ObjectMeta: metav1.ObjectMeta{Annotations: annotations},
			Spec: benchv1alpha1.BenchmarkTargetSpec{FerretDB: &benchv1alpha1.FerretDBTarget{
				Deployment: benchv1alpha1.Deployment{PodSettings: settings},
			}},
		}
	}
	suite := func(spec benchv1alpha1.BenchmarkRunSpec, annotations map[string]string) *benchv1alpha1.BenchmarkSuite {
		return &benchv1alpha1.BenchmarkSuite{
			ObjectMeta: metav1.ObjectMeta{Annotations: annotations},
			Spec: benchv1alpha1.BenchmarkSuiteSpec{
				Repetitions: new(int32(3)), Template: benchv1alpha1.RunTemplate{
					Metadata: benchv1alpha1.RunTemplateMetadata{Labels: map[string]string{"a": "b"}}, Spec: spec,
				},
			},
		}
	}
	noted := asks(0)
	noted.Annotations = map[string]string{
		"other": strings.Repeat("x", maxAnnotations), benchv1alpha1.PinAnnotation: "true",
	}
	kept := asks(0)
	kept.Annotations = map[string]string{benchv1alpha1.PinAnnotation: "true"}
	for name, tc := range map[string]struct{ object, want any }{
		"a run as usual":               {asks(maxSpec / 2), asks(maxSpec / 2)},
		"a large run":                  {asks(maxSpec), queued},
		"a run with large pods":        {large, withoutPods},
		"a target as usual":            {target(padded(maxPodSettings/2), nil), target(padded(maxPodSettings/2), nil)},
		"a target with large pods":     {target(padded(maxPodSettings), nil), target(nil, cut)},
		"a suite as usual":             {suite(asks(0).Spec, nil), suite(asks(0).Spec, nil)},
		"a large suite":                {suite(asks(maxSpec).Spec, nil), suite(benchv1alpha1.BenchmarkRunSpec{}, cut)},
		"a run with a large remark":    {noted, kept},
		"a run that is cut, once more": {queued.DeepCopy(), queued},
	} {
		t.Run(name, func(t *testing.T) { checkSlim(t, tc.object, tc.want) })
	}
}

func TestSize(t *testing.T) {
	const word = 8
	for name, tc := range map[string]struct {
		value any
		want  int
	}{
		"a number":                        {int64(1), word},
		"a text and what it says":         {"four", 2*word + 4},
		"a list and what it has room for": {make([]int64, 1, 3), 3*word + 3*word},
		"what a pointer points to":        {struct{ At *int64 }{new(int64(1))}, 2 * word},
		"a pointer to nothing":            {struct{ At *int64 }{}, word},
		"a map":                           {map[string]string{"a": "bc"}, word + 4*word + 3},
	} {
		if got := size(tc.value); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}
