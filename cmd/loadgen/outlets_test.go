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
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	content, err := os.ReadFile("testdata/run.yaml")
	if err != nil {
		t.Fatal(err)
	}
	content = bytes.Replace(content, []byte("      threads: 2\n      operations:"), []byte("      threads: 2\n"+
		"      percentiles: [\"12.5\"]\n      expectedIntervalMicros: 1000\n      objectives:\n"+
		"      - {limitMicros: 3600000000}\n      - {operation: read, limitMicros: 1, percent: \"100\"}\n      operations:"), 1)
	headers := filepath.Dir(write("headers/Authorization", "Bearer secret\n"))
	command, stdout, stderr := program(t, "run", "-f", write("run.yaml", string(content)), "--uri", server.URI(),
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
	step := document.Summary.Steps[0]
	if kept := step.Objectives; len(kept) != 2 || !kept[0].Kept || kept[0].Within != step.Overall.Count || kept[1].Kept {
		t.Errorf("objectives %+v of %d operations", kept, step.Overall.Count)
	}
	logsAgree(t, filepath.Join(folder, "logs"), document.Report)
}

// logsAgree compares logs with the report.
func logsAgree(t *testing.T, folder string, report reportv1.Report) {
	t.Helper()
	log, err := os.Open(filepath.Join(folder, "pod-0.hlog"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	counts := map[string]int64{}
	reader := hdrhistogram.NewHistogramLogReader(log)
	for {
		interval, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if interval == nil {
			break
		}
		counts[interval.Tag()] += interval.TotalCount()
	}
	lines, err := os.ReadFile(filepath.Join(folder, "pod-0.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(lines)).ReadAll()
	if err != nil || len(rows) < 3 {
		t.Fatalf("%d lines, %v", len(rows), err)
	}
	for _, operation := range report.Steps[len(report.Steps)-1].Operations {
		if got := counts["mixed/"+operation.Name]; got != operation.Count || got == 0 {
			t.Errorf("the log of histograms has %d of %s, want %d", got, operation.Name, operation.Count)
		}
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
