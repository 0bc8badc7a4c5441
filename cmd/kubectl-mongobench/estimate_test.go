package main

import (
	"encoding/json"
	"testing"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
)

func TestEstimateAsksTheClusterWhatItKnows(t *testing.T) {
	here := namespace(t)
	out, errOut, code := run(t, here, "estimate", "-f", sample("standalone"))
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	wantIn(t, out, "run/standalone\n", "measuring    at least 32s", "load         unknown: ",
		"fits         no: the cluster has no")

	putNode(t, "estimates-node", "4", "8Gi")
	before := createRun(t, here, "before")
	end(t, before, "True", "Completed", 37400)
	tell(t, before, func() {
		before.Status.Result.Load = &benchv1alpha1.LoadResult{
			Documents: new(int64(100_000)), DurationMillis: new(int64(1000)), DocumentsPerSecond: new(int64(100_000)),
		}
	})
	out, _, _ = run(t, here, "estimate", "-f", sample("standalone"))
	wantIn(t, out, "load         about 1s, with 100,000 documents or ", "as run before loaded", "fits         yes: ")
	var found []benchv1alpha1.BenchmarkRun
	var runs benchv1alpha1.BenchmarkRunList
	if err := environment.client.List(t.Context(), &runs); err != nil {
		t.Fatal(err)
	}
	for _, run := range runs.Items {
		if run.Namespace == here {
			found = append(found, run)
		}
	}
	if len(found) != 1 {
		t.Errorf("the estimate has made something: %d runs", len(found))
	}
}

func TestEstimateNeedsNoCluster(t *testing.T) {
	for name, tc := range map[string]struct {
		arguments []string
		fits      estimate.Answer
	}{
		"none is asked":    {[]string{"--local"}, ""},
		"none answers":     {[]string{"--server", "https://127.0.0.1:1"}, estimate.Unknown},
		"none is known of": {[]string{"--context", "nowhere"}, estimate.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			arguments := append([]string{"estimate", "-o", "json", "-f", sample("suite")}, tc.arguments...)
			out, errOut, code := run(t, "default", arguments...)
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, errOut)
			}
			var found estimate.Estimate
			if err := json.Unmarshal([]byte(out), &found); err != nil {
				t.Fatal(err)
			}
			suite := found.Suites[0]
			if suite.Runs != 10 || suite.LeastSeconds != 90 || len(suite.Pods) != 3 {
				t.Errorf("got %+v", suite)
			}
			if got := ptr.Deref(suite.Fits, estimate.Fit{}).Answer; got != tc.fits {
				t.Errorf("it fits: %q, want %q", got, tc.fits)
			}
		})
	}
}

func TestEstimateOfAKustomization(t *testing.T) {
	out, errOut, code := run(t, "default", "estimate", "--local", "-k", root+"/config/gitops/example")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	wantIn(t, out, "suite/nightly")
}

func TestEstimateRefusesWhatMakesNoSense(t *testing.T) {
	for name, tc := range map[string]struct {
		arguments []string
		says      string
	}{
		"no file":              {[]string{}, "must specify"},
		"a file that is none":  {[]string{"-f", "/nowhere.yaml"}, "/nowhere.yaml"},
		"a form that is none":  {[]string{"-f", sample("suite"), "-o", "fancy"}, "an estimate can be written as json, text"},
		"a file without a run": {[]string{"-f", root + "/config/default/namespace.yaml"}, "there is no BenchmarkRun"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := run(t, "default", append([]string{"estimate", "--local"}, tc.arguments...)...)
			if code != exitUsage || out != "" {
				t.Errorf("exit code %d, output %q", code, out)
			}
			wantIn(t, errOut, tc.says)
		})
	}
}
