package v1alpha1_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// golden is a plan that internal/spec compiles, as people read it.
func golden(tb testing.TB, name string) []byte {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join("../../../internal/spec/testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

func TestPlanRoundTrip(t *testing.T) {
	want, err := planv1alpha1.Decode(golden(t, "everything.json"))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := planv1alpha1.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := planv1alpha1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	again, err := planv1alpha1.Encode(got)
	if err != nil {
		t.Fatal(err)
	}
	if planv1alpha1.Hash(encoded) != planv1alpha1.Hash(again) {
		t.Error("the hash changes when a plan is written again")
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := map[string]struct{ encoded, wantErr string }{
		"another version":   {`{"version":"plan.mongobench.dev/v9"}`, "different releases"},
		"an unknown field":  {`{"version":"plan.mongobench.dev/v1alpha1","speed":1}`, `unknown field "speed"`},
		"nothing":           {``, "unexpected end"},
		"more than a plan":  {`{"version":"plan.mongobench.dev/v1alpha1"}}`, "after top-level value"},
		"a number too wide": {`{"version":"plan.mongobench.dev/v1alpha1","seed":99999999999999999999}`, "cannot unmarshal"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, planErr := planv1alpha1.Decode([]byte(tc.encoded))
			if planErr == nil || !strings.Contains(planErr.Error(), tc.wantErr) {
				t.Errorf("got error %v, want one with %q", planErr, tc.wantErr)
			}
			if _, err := planv1alpha1.DecodeTopology([]byte(tc.encoded)); err == nil {
				t.Error("a topology like that was accepted")
			}
		})
	}
}

func TestTopologyRoundTrip(t *testing.T) {
	want := planv1alpha1.Topology{
		Version: planv1alpha1.Version, Kind: benchv1alpha1.TopologyReplicaSet, DeadlineSeconds: 60,
		Sets: []planv1alpha1.ReplicaSet{
			{Name: "rs0", Role: planv1alpha1.RoleData, Members: []string{"a:27017", "b:27017"}},
		},
	}
	encoded, err := planv1alpha1.EncodeTopology(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := planv1alpha1.DecodeTopology(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("topology (-want +got):\n%s", diff)
	}
}

func TestHashIsSHA256InHexadecimal(t *testing.T) {
	const want = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got := planv1alpha1.Hash(nil); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStartInstantRoundTrip(t *testing.T) {
	want := time.Date(2026, time.November, 21, 5, 0, 0, 123456789, time.UTC)
	got, err := planv1alpha1.ParseStart(planv1alpha1.FormatStart(want))
	if err != nil || !got.Equal(want) {
		t.Errorf("got %s and error %v, want %s", got, err, want)
	}
	if _, err := planv1alpha1.ParseStart("soon"); err == nil {
		t.Error("a start that is no number was accepted")
	}
	if got := planv1alpha1.GateKey(4); got != "start-4" {
		t.Errorf("key %q, want start-4", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(golden(f, "minimal.json"))
	f.Add([]byte(`{"version":"plan.mongobench.dev/v1alpha1","collections":[{"fields":[{"element":{"element":{}}}]}]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := planv1alpha1.Decode(data)
		if err != nil {
			return
		}
		if _, err := planv1alpha1.Encode(plan); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}

func FuzzDecodeTopology(f *testing.F) {
	f.Add([]byte(`{"version":"plan.mongobench.dev/v1alpha1","kind":"Standalone","members":["a:1"],"deadlineSeconds":1}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = planv1alpha1.DecodeTopology(data)
	})
}
