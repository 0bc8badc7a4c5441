package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/output"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// TestOutputBesideTheReport runs one with objectives, of which one cannot be kept, and with everything that is written
// and sent meanwhile.
func TestOutputBesideTheReport(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[1])
	folder, received := t.TempDir(), new(atomic.Int64)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer secret" && r.URL.Path == "/v1/metrics" {
			received.Add(1)
		}
	}))
	t.Cleanup(receiver.Close)
	headers := filepath.Dir(written(t, filepath.Join(folder, "headers", "Authorization"), "Bearer secret\n"))
	command, stdout, stderr := program(t, "run", "-f", demanding(t, folder), "--uri", server.URI(),
		"-o", filepath.Join(folder, "results"), "--histogram-log", filepath.Join(folder, "logs", "pod-{pod}.hlog"),
		"--operation-log", filepath.Join(folder, "logs", "pod-{pod}.csv"), "--operation-log-samples", "5",
		"--push", "OTLP "+receiver.URL+"/v1/metrics 1s "+headers, "--push", "RemoteWrite http://127.0.0.1:1/write")
	if code := exitCodeOf(t, command.Run()); code != exitMissed {
		t.Fatalf("exit code %d, want %d: %s", code, exitMissed, stderr)
	}
	if want := `step "mixed": 100 % of operation read within 1 µs: 0 of `; !strings.Contains(stderr.String(), want) {
		t.Errorf("the error lacks %q: %s", want, stderr)
	}
	for _, want := range []string{"objective of", "p12.5", "corrected", "RemoteWrite to http://127.0.0.1:1: 0 written"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, stdout)
		}
	}
	if received.Load() == 0 {
		t.Error("nothing was received with the header")
	}
	encoded, err := os.ReadFile(filepath.Join(folder, "results", "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document output.Document
	if err := json.Unmarshal(encoded, &document); err != nil {
		t.Fatal(err)
	}
	objectivesAgree(t, document.Summary.Steps[0])
	histogramsAgree(t, filepath.Join(folder, "logs", "pod-0.hlog"), document.Report)
	linesAgree(t, filepath.Join(folder, "logs", "pod-0.csv"), document.Report)
}

// written is a file with this content.
func written(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// demanding is a run with an objective that is kept and one that is missed.
func demanding(t *testing.T, folder string) string {
	t.Helper()
	content, err := os.ReadFile("testdata/run.yaml")
	if err != nil {
		t.Fatal(err)
	}
	demands := `threads: 2
      percentiles: ["12.5"]
      expectedIntervalMicros: 1000
      objectives:
      - {limitMicros: 3600000000}
      - {operation: read, limitMicros: 1, percent: "100"}
      operations:`
	return written(t, filepath.Join(folder, "run.yaml"),
		strings.Replace(string(content), "threads: 2\n      operations:", demands, 1))
}

func objectivesAgree(t *testing.T, step reportv1.StepSummary) {
	t.Helper()
	kept := step.Objectives
	if len(kept) != 2 || !kept[0].Kept || kept[0].Within != step.Overall.Count || kept[1].Kept {
		t.Errorf("objectives %+v of %d operations", kept, step.Overall.Count)
	}
}

// histogramsAgree compares a log of histograms with the report.
func histogramsAgree(t *testing.T, path string, report reportv1.Report) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int64{}
	reader := hdrhistogram.NewHistogramLogReader(bytes.NewReader(content))
	for interval, err := reader.NextIntervalHistogram(); interval != nil || err != nil; {
		if err != nil {
			t.Fatal(err)
		}
		counts[interval.Tag()] += interval.TotalCount()
		interval, err = reader.NextIntervalHistogram()
	}
	for _, operation := range report.Steps[len(report.Steps)-1].Operations {
		if got := counts["mixed/"+operation.Name]; got != operation.Count || got == 0 {
			t.Errorf("the log of histograms has %d of %s, want %d", got, operation.Name, operation.Count)
		}
	}
}

// linesAgree compares a log of operations with what the report says of it.
func linesAgree(t *testing.T, path string, report reportv1.Report) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil || len(rows) < 3 {
		t.Fatalf("%d lines, %v", len(rows), err)
	}
	for _, outlet := range report.Outlets {
		if outlet.Name == "log of operations" && outlet.Written != int64(len(rows)-1) {
			t.Errorf("%d lines were written, and there are %d", outlet.Written, len(rows)-1)
		}
	}
}

func TestReceiversThatAreWrongAreRefusedWithoutTheirSecrets(t *testing.T) {
	for name, words := range map[string]string{
		"no URL":               "OTLP",
		"a user":               "OTLP http://name:secret@host/",
		"another scheme":       "OTLP ftp://secret/",
		"no host":              "RemoteWrite http:///secret",
		"no folder":            "OTLP http://host/secret 5s /no/such/folder",
		"more words than four": "OTLP http://host/secret 5s . .",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readReceiver(words)
			if err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v, want one without the URL", err)
			}
		})
	}
}
