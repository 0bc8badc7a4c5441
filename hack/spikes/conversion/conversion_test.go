package conversion

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	ctrlconversion "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
	"sigs.k8s.io/randfill"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// objects are converted of each version, from seeds that follow one another.
const objects = 500

// filler fills objects with what the API could hold. It draws the same from the same seed.
func filler(seed int64) *randfill.Filler {
	own := func(serializer.CodecFactory) []any {
		return []any{
			func(state *State, c randfill.Continue) { *state = []State{Running, Suspended, Cancelled}[c.Intn(3)] },
			func(d *benchv1alpha1.Document, c randfill.Continue) {
				*d = []benchv1alpha1.Document{
					"", `{"b":1,"a":{"$param":"p"}}`, `"{\"b\": 1, \"a\": 2}"`, `[{"$match":{}}]`,
				}[c.Intn(4)]
			},
			func(d *benchv1alpha1.Constant, c randfill.Continue) {
				*d = []benchv1alpha1.Constant{`"text"`, `5`, `{"$date":"2020-01-01T00:00:00Z"}`, `[1,2]`}[c.Intn(4)]
			},
			func(r *runtime.RawExtension, _ randfill.Continue) { r.Raw = []byte(`{"preset":{"name":"YCSB-A"}}`) },
			func(d *metav1.Duration, c randfill.Continue) {
				d.Duration = time.Duration(c.Int63n(604_800_000)) * time.Millisecond
			},
		}
	}
	codecs := serializer.NewCodecFactory(runtime.NewScheme())
	return randfill.NewWithSeed(seed).NilChance(0.5).NumElements(0, 3).
		Funcs(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, own)(codecs)...)
}

// anAlpha is a random object of v1alpha1, as it comes out of the API server.
func anAlpha(seed int64) *spoke {
	var filled benchv1alpha1.BenchmarkRun
	filler(seed).Fill(&filled)
	for i := range filled.Spec.Workload.Steps {
		filled.Spec.Workload.Steps[i].Name = fmt.Sprintf("step-%d", i)
	}
	made := &spoke{}
	mustCopy(filled, made)
	made.SetGroupVersionKind(benchv1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	return made
}

// aBeta is a random object of v1beta1, without what only v1alpha1 has.
func aBeta(seed int64) *Run {
	filled, made := &Run{}, &Run{}
	filler(seed).Fill(filled)
	filled.Spec.BenchmarkRunSpec = unchanged(filled.Spec.BenchmarkRunSpec)
	for i := range filled.Spec.Steps {
		filled.Spec.Steps[i].Name, filled.Spec.Steps[i].DurationSeconds = fmt.Sprintf("step-%d", i), nil
	}
	if end := filled.Spec.End; end != nil && *end == (End{}) {
		filled.Spec.End = nil // An empty struct says nothing, and v1alpha1 has none.
	}
	mustCopy(filled, made)
	made.SetGroupVersionKind(later.WithKind("BenchmarkRun"))
	return made
}

// convert has controller-runtime's own webhook convert an object, by the request that an API server would send.
func convert(t *testing.T, webhook http.Handler, object runtime.Object, version string, into runtime.Object) {
	t.Helper()
	raw := encode(t, object)
	request := encode(t, apiextensionsv1.ConversionReview{Request: &apiextensionsv1.ConversionRequest{
		UID: "1", DesiredAPIVersion: version, Objects: []runtime.RawExtension{{Raw: raw}},
	}})
	answered := httptest.NewRecorder()
	webhook.ServeHTTP(answered, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/convert",
		bytes.NewReader(request)))
	var review apiextensionsv1.ConversionReview
	if err := json.Unmarshal(answered.Body.Bytes(), &review); err != nil {
		t.Fatalf("%v: %s", err, answered.Body)
	}
	if review.Response == nil || review.Response.Result.Status != metav1.StatusSuccess {
		t.Fatalf("the webhook answered %s", answered.Body)
	}
	if err := json.Unmarshal(review.Response.ConvertedObjects[0].Raw, into); err != nil {
		t.Fatal(err)
	}
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// newWebhook is what the manager would serve at /convert.
func newWebhook() http.Handler {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(benchv1alpha1.GroupVersion.WithKind("BenchmarkRun"), &spoke{})
	scheme.AddKnownTypeWithName(later.WithKind("BenchmarkRun"), &Run{})
	return ctrlconversion.NewWebhookHandler(scheme, ctrlconversion.NewRegistry())
}

// TestNothingIsLost converts random objects to the other version and back, by way of JSON and the webhook.
func TestNothingIsLost(t *testing.T) {
	webhook := newWebhook()
	same := func(t *testing.T, seed int64, before, after any) {
		t.Helper()
		if diff := cmp.Diff(string(encode(t, before)), string(encode(t, after))); diff != "" {
			t.Errorf("seed %d: lost or added on the way (-before +after):\n%s", seed, diff)
		}
	}
	t.Run("from v1alpha1", func(t *testing.T) {
		for seed := range int64(objects) {
			before, between, after := anAlpha(seed), &Run{}, &spoke{}
			convert(t, webhook, before, later.String(), between)
			convert(t, webhook, between, benchv1alpha1.GroupVersion.String(), after)
			same(t, seed, before, after)
		}
	})
	t.Run("from v1beta1", func(t *testing.T) {
		for seed := range int64(objects) {
			before, between, after := aBeta(seed), &spoke{}, &Run{}
			convert(t, webhook, before, benchv1alpha1.GroupVersion.String(), between)
			convert(t, webhook, between, later.String(), after)
			same(t, seed, before, after)
		}
	})
}

// TestAChangeWinsOverWhatIsKept changes an object in the version in which something of it is only kept.
func TestAChangeWinsOverWhatIsKept(t *testing.T) {
	alpha, beta := &spoke{}, &Run{}
	beta.Spec.Steps = []Step{{Duration: &metav1.Duration{Duration: 1500 * time.Millisecond}}}
	if err := alpha.ConvertFrom(beta); err != nil {
		t.Fatal(err)
	}
	alpha.Spec.Workload.Steps[0].DurationSeconds = new(int32(2))
	alpha.Spec.Suspend, alpha.Spec.Cancel = new(true), new(true)
	beta = &Run{}
	if err := alpha.ConvertTo(beta); err != nil {
		t.Fatal(err)
	}
	if got := beta.Spec.Steps[0].Duration.Duration; got != 2*time.Second {
		t.Errorf("the duration is %s, want what it was changed to, 2s", got)
	}
	beta.Spec.State = new(Running)
	alpha = &spoke{}
	if err := alpha.ConvertFrom(beta); err != nil {
		t.Fatal(err)
	}
	if state := stateOf(alpha.Spec.Suspend, alpha.Spec.Cancel); *state != Running {
		t.Errorf("the state is %s, want what it was changed to, Running", *state)
	}
}
