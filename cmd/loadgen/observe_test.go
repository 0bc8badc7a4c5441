package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// membersOf are the servers in the report of a run with these arguments.
func membersOf(t *testing.T, uri string, arguments ...string) (members []reportv1.Member, steps []reportv1.Step) {
	t.Helper()
	folder := t.TempDir()
	arguments = append([]string{"run", "-f", "testdata/run.yaml", "--uri", uri, "-o", folder}, arguments...)
	command, _, stderr := program(t, arguments...)
	if code := exitCodeOf(t, command.Run()); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	content, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var written struct {
		Report reportv1.Report `json:"report"`
	}
	if err := json.Unmarshal(content, &written); err != nil {
		t.Fatal(err)
	}
	return written.Report.Members, written.Report.Steps
}

func TestARunObservesTheServerUnlessToldOtherwise(t *testing.T) {
	server := mongotest.Shared(t, "6.0.5")
	members, steps := membersOf(t, server.URI())
	if len(members) != 1 || members[0].Name != server.Address || len(members[0].Series) < 40 {
		t.Fatalf("observed %+v, want %s with its series", members, server.Address)
	}
	end := steps[len(steps)-1].End
	last := members[0].Start.Add(time.Duration(len(members[0].Series[0].Values)-1) * time.Second)
	if members[0].Start.After(steps[len(steps)-1].Start) || last.Add(2*time.Second).Before(end) {
		t.Errorf("observed from %s to %s, and the last step went from %s to %s",
			members[0].Start, last, steps[len(steps)-1].Start, end)
	}
	if members, _ := membersOf(t, server.URI(), "--observe=false"); len(members) != 0 {
		t.Errorf("observed %+v, want nothing", members)
	}
}

func TestTheServerIsObservedAsOftenAsIsAsked(t *testing.T) {
	server := mongotest.Shared(t, "6.0.5")
	members, _ := membersOf(t, server.URI(), "--observe-interval", "100ms")
	if len(members) != 1 || members[0].IntervalMillis != 100 {
		t.Fatalf("observed %+v, want one server each 100 ms", members)
	}
	// The step alone lasts a second, and what is late is left out.
	if values := len(members[0].Series[0].Values); values < 10 {
		t.Errorf("%d samples, want one each 100 ms", values)
	}
	command, _, stderr := program(t,
		"run", "-f", "testdata/run.yaml", "--uri", server.URI(), "--observe-interval", "1ms")
	if code := exitCodeOf(t, command.Run()); code == 0 || !strings.Contains(stderr.String(), "--observe-interval is 1ms") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
