package v1alpha1_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

func TestDecodeRefuses(t *testing.T) {
	zip := func(text string) []byte { return zipped(t, []byte(text)) }
	const decompressing = "reading report: decompressing: "
	blanks := zip(strings.Repeat(" ", reportv1alpha1.MaxReportBytes))
	tests := map[string]struct {
		encoded []byte
		wantErr string
	}{
		"what is not compressed":  {[]byte(`{}`), decompressing},
		"nothing":                 {nil, decompressing},
		"another version":         {zip(`{"version":"report.mongobench.dev/v9"}`), "different releases"},
		"a field of another type": {zip(`{"version":"report.mongobench.dev/v1alpha1","steps":1}`), "cannot unmarshal"},
		"a text cut short":        {zip(`{"version":"report.mongobench.dev/v1alpha1"}`)[:20], decompressing},
		"what would fill memory":  {bytes.Repeat(blanks, 101), decompressing + "it is too large"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := reportv1alpha1.Decode(tc.encoded); err == nil || !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("got error %v, want one with %q", err, tc.wantErr)
			}
		})
	}
}

func TestProgressRoundTrip(t *testing.T) {
	want := reportv1alpha1.Progress{
		Step: 3, State: reportv1alpha1.ProgressRunning, WarmingUp: true, Percent: 40, OperationsPerSecond: 1234,
	}
	encoded, err := reportv1alpha1.EncodeProgress(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := reportv1alpha1.DecodeProgress(encoded)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, progress (-want +got):\n%s", err, diff)
	}
}

func TestTopologyRoundTrip(t *testing.T) {
	want := reportv1alpha1.TopologyReport{
		Version: reportv1alpha1.Version,
		Server:  reportv1alpha1.Server{Version: "6.0.5", Members: 3, StartupWarnings: []string{"swappiness"}},
	}
	encoded, err := reportv1alpha1.EncodeTopology(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := reportv1alpha1.DecodeTopology(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("topology report (-want +got):\n%s", diff)
	}
	if _, err := reportv1alpha1.DecodeTopology([]byte(`{}`)); err == nil {
		t.Error("a topology report without a version was accepted")
	}
}

// TestReportOfAnOlderLoadGeneratorIsRead: one that says nothing of its machine.
func TestReportOfAnOlderLoadGeneratorIsRead(t *testing.T) {
	const written = `{"version":"report.mongobench.dev/v1alpha1","planHash":"abc","loadgenVersion":"v0.1",` +
		`"driver":"d","pods":1,"steps":[],"server":{"version":"6.0.5"}}`
	read, err := reportv1alpha1.Decode(zipped(t, []byte(written)))
	if err != nil {
		t.Fatal(err)
	}
	if read.LoadgenVersion != "v0.1" || read.Machines != nil {
		t.Errorf("read was %+v", read)
	}
}

// TestWhatALaterLoadGeneratorTellsIsRead: a run may name an image of a later release than the operator, and a report
// may be opened with an earlier plugin. Otherwise that would be found out only when everything has been measured.
func TestWhatALaterLoadGeneratorTellsIsRead(t *testing.T) {
	const told = `{"version":"report.mongobench.dev/v1alpha1","planHash":"abc","mood":{"good":1}}`
	report, err := reportv1alpha1.Decode(zipped(t, []byte(told)))
	if err != nil || report.PlanHash != "abc" {
		t.Errorf("error %v, report %+v", err, report)
	}
	collected, err := reportv1alpha1.DecodeCollected([]byte(told))
	if err != nil || collected.PlanHash != "abc" {
		t.Errorf("error %v, collected %+v", err, collected)
	}
	progress, err := reportv1alpha1.DecodeProgress([]byte(`{"step":1,"mood":"good"}`))
	if err != nil || progress.Step != 1 {
		t.Errorf("error %v, progress %+v", err, progress)
	}
	topology := `{"version":"report.mongobench.dev/v1alpha1","server":{"version":"9.0.0","mood":"good"}}`
	answer, err := reportv1alpha1.DecodeTopology([]byte(topology))
	if err != nil || answer.Server.Version != "9.0.0" {
		t.Errorf("error %v, topology %+v", err, answer)
	}
}

func zipped(tb testing.TB, plain []byte) []byte {
	tb.Helper()
	compressed, err := strictjson.Compress(plain)
	if err != nil {
		tb.Fatal(err)
	}
	return compressed
}

func FuzzDecompress(f *testing.F) {
	encoded, err := reportv1alpha1.Encode(reportv1alpha1.Report{Version: reportv1alpha1.Version, PlanHash: "abc"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(encoded)
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = reportv1alpha1.Decode(data)
	})
}

func FuzzDecodeHistogram(f *testing.F) {
	times := reportv1alpha1.NewHistogram()
	for _, micros := range []int64{1, 1000, 3_600_000_000} {
		if err := times.RecordValue(micros); err != nil {
			f.Fatal(err)
		}
	}
	encoded, err := reportv1alpha1.EncodeHistogram(times)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(encoded)
	f.Add("HISTFAAAAAo=")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = reportv1alpha1.DecodeHistogram(text)
	})
}

func FuzzDecodeProgress(f *testing.F) {
	f.Add([]byte(`{"step":1,"state":"Running","percent":50,"operationsPerSecond":10}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = reportv1alpha1.DecodeProgress(data)
		_, _ = reportv1alpha1.DecodeTopology(data)
	})
}
