package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestEveryCellIsARunOfItsOwn(t *testing.T) {
	if got := len(cells()); got != 18 {
		t.Errorf("there are %d cells; want 3 operations, 2 policies and 3 clients", got)
	}
	folder, names := t.TempDir(), map[string]bool{}
	for _, c := range cells() {
		if err := writeCell(filepath.Join(folder, clientsFile), c, 4*time.Second); err != nil {
			t.Errorf("%s: %v", c.name(), err)
		}
		names[c.name()] = true
	}
	if len(names) != len(cells()) {
		t.Errorf("%d cells have %d names", len(cells()), len(names))
	}
}

func TestOnlyWhatTheServerDidWithinTheWindowCounts(t *testing.T) {
	start := time.Date(2026, 11, 23, 11, 0, 0, 0, time.UTC)
	at := func(second int, operations, journal int64, cpu time.Duration) look {
		return look{at: start.Add(time.Duration(second) * time.Second), operations: operations, journal: journal, cpu: cpu}
	}
	looks := []look{
		at(0, 0, 0, 0), at(1, 1000, 900_000, time.Second), at(2, 1100, 910_000, time.Second+20*time.Millisecond),
		at(3, 1200, 920_000, time.Second+40*time.Millisecond), at(4, 1200, 999_000, 3*time.Second),
	}
	report := `{"report": {"steps": [{"kind": "Load"}, {"kind": "Measure", "measureStart": "2026-11-23T11:00:00.9Z",
		"windowMillis": 2500, "generator": {"cpuMicros": 5000}}]},
		"summary": {"steps": [{"sent": "lsid", "overall": {"count": 250, "p50Micros": 70, "p99Micros": 300}}]}}`
	got, err := cellOf([]byte(report), looks)
	want := cellSeen{server: 200, journal: 100, client: 20, p50: 70, p99: 300, sent: "lsid"}
	if err != nil || math.Abs(got.server-want.server) > 1e-9 || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if _, err := cellOf([]byte(report), looks[3:]); err == nil {
		t.Error("a server that was not seen at work has figures")
	}
	failed := strings.Replace(report, `"count": 250`, `"count": 250, "errors": 1`, 1)
	if _, err := cellOf([]byte(failed), looks); err == nil {
		t.Error("a run with failures has figures")
	}
}

func TestTheClientsAreATableAndFigures(t *testing.T) {
	seen := map[cell][]cellSeen{}
	for _, c := range cells() {
		seen[c] = []cellSeen{
			{server: 9, journal: 100, p50: 60},
			{server: 100, journal: 320, p50: 70},
			{server: 300, journal: 1e6, p50: 80},
		}
	}
	seen[cell{"read", "query", benchv1alpha1.RetryOnce, benchv1alpha1.ClientWire}][1].server = 77
	var out strings.Builder
	writeClients(&out, seen)
	for _, line := range []string{
		"| read | Once | Application | 100 | 320 | 70.0 | - | 0 |\n",
		"FIGURE clients_read_once_wire_server_cpu 77.0 us\n",
		"FIGURE clients_insert_never_driver_journal 320.0 bytes\n",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is not in\n%s", line, out.String())
		}
	}
}
