package page_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
)

// watched is a report of 20 seconds with servers that have these series.
func watched(t *testing.T, members ...reportv1.Member) reportv1.Report {
	t.Helper()
	report := built(t, shape{seconds: 20, operations: 1})
	for i := range members {
		members[i].Start, members[i].IntervalMillis = begin, 1000
	}
	report.Members = members
	return report
}

func series(name, unit string, values ...int64) reportv1.Series {
	return reportv1.Series{Name: name, Unit: unit, Values: values}
}

// marksOf are the marks of a page of one run, in words.
func marksOf(data page.Data) []string {
	words := make([]string, 0, len(data.Runs[0].Marks))
	for _, mark := range data.Runs[0].Marks {
		at := time.Duration(mark.At * float64(time.Second)).String()
		if mark.To != nil {
			at += " to " + time.Duration(*mark.To*float64(time.Second)).String()
		}
		words = append(words, mark.Kind+" "+at+" "+mark.Label)
	}
	return words
}

func TestCheckpointsAndMigrationsAreStretchesOfAllServers(t *testing.T) {
	data := dataOf(t, page.Source{Name: "one", Report: watched(
		t,
		reportv1.Member{Name: "db-0.x:27017", Role: "primary", Series: []reportv1.Series{
			// One that ends between two samples, one that no sample saw, and one that has not ended.
			series("checkpoint.running", "count", 0, 1, 1, 0, 0, 0, 0, 0, 0, 1),
			series("checkpoint.count", "count", 4, 4, 4, 5, 5, 5, 6, 6, 6, 6),
			series("migrations.started", "count", -1, 2, 2, 2, 2, 3, 4, 4, 4, 4),
			series("migrations.documents", "documents/s", -1, 0, 0, 0, 0, 9, 9, 9, 0, 0),
		}},
		reportv1.Member{Name: "db-1.x:27017", Role: "primary", Series: []reportv1.Series{
			series("checkpoint.running", "count", 0, 0, -1, 1, 0, 0),
			series("migrations.started", "count", 0, 0, 0, 0, 0, 0),
		}},
	)})
	want := []string{
		"step 0s to 8s load",
		// That of the second server begins when the first one's ends.
		"checkpoint 1s to 4s a checkpoint",
		"migration 4s to 7s chunks move",
		"checkpoint 5s to 6s a checkpoint",
		"checkpoint 9s to 10s a checkpoint",
		"warmup 10s to 15s warm-up of mixed",
		"step 15s to 35.12s mixed",
	}
	if diff := cmp.Diff(want, marksOf(data)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}

func TestMarksOfWhatHappened(t *testing.T) {
	report := watched(
		t,
		reportv1.Member{Name: "db-0.x:27017", Role: "primary", Series: []reportv1.Series{
			series("replication.state", "count", 1, 1, -1, -1, 2, 2),
			series("checkpoint.count", "count", 7, 8, -1, -1, 0, 1),
			series("connections.current", "count", 9, 9, -1, -1, 3, 4),
		}},
		reportv1.Member{Name: "db-1.x:27017", Role: "secondary", Series: []reportv1.Series{
			series("replication.state", "count", 2, 2, 2, 1, 1, 1),
			series("connections.current", "count", 9, -1, 9, 9, 9, 9),
		}},
	)
	report.Steps[1].Actions = []reportv1.Action{
		{Name: "kill", Type: "DeletePod", Member: "db-0.x:27017", AtMillis: 2500, RecoveryMillis: new(int64(1000))},
		{Name: "Compact", Type: "Compact", AtMillis: 9000, Error: "not allowed"},
	}
	data := dataOf(t, page.Source{Name: "one", Report: report})
	want := []string{
		"step 0s to 8s load",
		"checkpoint 0s to 1s a checkpoint",
		"silent 2s db-0 did not answer",
		"election 3s db-1 became primary",
		"restart 4s db-0 restarted",
		"checkpoint 4s to 5s a checkpoint",
		"warmup 10s to 15s warm-up of mixed",
		"step 15s to 35.12s mixed",
		"action 17.5s kill (DeletePod)",
		"action 24s Compact was not carried out",
	}
	if diff := cmp.Diff(want, marksOf(data)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	if data.Events == nil || len(data.Events.Rows) != 5 {
		t.Fatalf("the events are %v", data.Events)
	}
	if step := valueIn(t, *data.Events, "in step", "kill (DeletePod)"); step != "mixed" {
		t.Errorf("the pod was deleted in step %q", step)
	}
	actions := data.Steps[0].Tables[1]
	if recovered := valueIn(t, actions, "recovered after", "kill"); recovered != "1000" {
		t.Errorf("it recovered after %s ms", recovered)
	}
}

func panelNamed(t *testing.T, data page.Data, title string) page.Panel {
	t.Helper()
	at := slices.IndexFunc(data.Panels, func(p page.Panel) bool { return p.Title == title })
	if at < 0 {
		t.Fatalf("there is no panel %q", title)
	}
	return data.Panels[at]
}

// twoServers tell figures that changed, that did not, of shards, and that no page knows.
func twoServers(t *testing.T) page.Data {
	t.Helper()
	return dataOf(t, page.Source{Name: "one", Report: watched(
		t,
		reportv1.Member{Name: "db-0.x:27017", Role: "primary", Series: []reportv1.Series{
			series("cpu.user", "ms/s", -1, 1000, 1500), series("cpu.system", "ms/s", -1, 100, 250),
			series("cache.maximum", "bytes", 1<<30, 1<<30, -1), series("queue.readers", "count", 0, 0, 0),
			series("from.the.future", "count", 1, 2, 3),
		}},
		reportv1.Member{Name: "db-1.x:27017", Role: "config", Series: []reportv1.Series{
			series("queue.readers", "count", 0, 4, 0), series("cache.maximum", "bytes", 1<<30, 1<<30, 1<<30),
			series("chunks.shard0", "count", 8, 8, 7), series("chunks.shard1", "count", 0, 0, 1),
		}},
	)})
}

func TestPanelsOfTheServers(t *testing.T) {
	data := twoServers(t)
	cpu := panelNamed(t, data, "CPU, in cores").Lines[0]
	if !math.IsNaN(cpu.Values[0]) || cpu.Values[1] != 1.1 || cpu.Values[2] != 1.75 {
		t.Errorf("the cores are %v, want none known, 1.1 and 1.75", cpu.Values)
	}
	if cpu.Label != "db-0 (primary)" || cpu.At != 0 || cpu.Step != 1 || cpu.End != 2 {
		t.Errorf("the line is %+v", cpu)
	}
	if queue := panelNamed(t, data, "Queued readers"); len(queue.Lines) != 2 || queue.Lines[1].Colour != 1 {
		t.Errorf("a server that never changed is not beside the one that did: %+v", queue)
	}
}

func TestPanelsOfOtherFigures(t *testing.T) {
	data := twoServers(t)
	shards := panelNamed(t, data, "Chunks of each shard")
	if !shards.Own || len(shards.Lines) != 2 || shards.Lines[1].Label != "shard1" {
		t.Errorf("the chunks are %+v", shards)
	}
	if other := panelNamed(t, data, "from.the.future"); other.Group != "Other" {
		t.Errorf("a figure that the page does not know is in group %q", other.Group)
	}
	if value := valueIn(t, *data.Still, "servers", "Cache size", "1 GiB"); value != "db-0 (primary), db-1 (config)" {
		t.Errorf("the cache size is said of %q", value)
	}
}

func TestNeighboursThatAreJoinedKeepTheLargestLevel(t *testing.T) {
	report := built(t, shape{seconds: 1800, operations: 1, servers: 12, seed: 3})
	spike := report.Members[4].Series
	at := slices.IndexFunc(spike, func(s reportv1.Series) bool { return s.Name == "queue.readers" })
	spike[at].Values[1001] = 5000
	data := dataOf(t, page.Source{Name: "one", Report: report})
	line := panelNamed(t, data, "Queued readers").Lines[4]
	if len(line.Values) >= 1800 {
		t.Fatalf("nothing was joined: %d values", len(line.Values))
	}
	highest := slices.Max(line.Values)
	if highest != 5000 {
		t.Errorf("the highest of the joined is %g, want the spike of 5000", highest)
	}
	when := line.At + float64(slices.Index(line.Values, highest))*line.Step
	if when < 1001 || when-line.Step >= 1001 {
		t.Errorf("the spike stands at %g s, and was at 1001 s; a point is of %g s", when, line.Step)
	}
}

func TestAddressesAreNotShortened(t *testing.T) {
	one := series("operations.all", "operations/s", -1, 1, 2)
	data := dataOf(t, page.Source{Name: "one", Report: watched(
		t, reportv1.Member{Name: "127.0.0.1:27017", Series: []reportv1.Series{one}},
	)})
	if label := data.Panels[0].Lines[0].Label; label != "127.0.0.1:27017" {
		t.Errorf("the server is called %q", label)
	}
}

func TestSizesGrowthAndSweepsAreShown(t *testing.T) {
	report := built(t, shape{seconds: 20, operations: 1})
	grown := func(documents int64) []reportv1.Step {
		measured := built(t, shape{seconds: 5, operations: 1, seed: uint64(documents)}).Steps[1]
		measured.Name, measured.GrowthOf, measured.GrowthDocuments = "read-at", "read", documents
		measured.Name += strings.Repeat("x", int(documents/1000))
		return []reportv1.Step{{
			Name: "size" + measured.Name, Kind: "Size", Documents: documents, GrowthDocuments: documents,
			Sizes: []reportv1.CollectionSize{
				{Collection: "people", Shard: "a", Documents: documents, DataBytes: 3 << 20, StorageBytes: 1 << 20},
				{Collection: "people", Shard: "b", Documents: documents, DataBytes: 1 << 20, StorageBytes: 1 << 20},
			},
		}, measured}
	}
	report.Steps = append(append(report.Steps, grown(1000)...), grown(2000)...)
	for _, threads := range []int{1, 4, 16} {
		swept := built(t, shape{seconds: 5, operations: 1}).Steps[1]
		swept.Name, swept.SweepOf, swept.Threads = "threads"+strings.Repeat("+", threads), "threads", threads
		report.Steps = append(report.Steps, swept)
	}
	data := dataOf(t, page.Source{Name: "one", Report: report})
	if data.Growth == nil || data.Sizes == nil || data.Sweeps == nil {
		t.Fatalf("growth %v, sizes %v, sweeps %v", data.Growth, data.Sizes, data.Sweeps)
	}
	if share := valueIn(t, data.Sizes.Tables[0], "share of the data", "people", "a"); share != "75" {
		t.Errorf("shard a has %s %% of the data, want 75", share)
	}
	if line := data.Growth.Plots[0].Lines[0]; line.Label != "data" || !slices.Equal(line.X, page.Numbers{1000, 2000}) ||
		!slices.Equal(line.Y, page.Numbers{4 << 20, 4 << 20}) {
		t.Errorf("the growth is %+v", line)
	}
	if line := data.Sweeps.Plots[0].Lines[0]; !slices.Equal(line.X, page.Numbers{1, 4, 16}) {
		t.Errorf("the sweep is over %v threads", line.X)
	}
}
