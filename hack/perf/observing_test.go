package main

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestObservingIsComparedPairByPair(t *testing.T) {
	byItself, observing := make([]window, 0, 12), make([]window, 0, 12)
	for pair := range 12 {
		// The machine is slow for a third of the pairs, and what observing costs differs from pair to pair.
		slow := []float64{1, 3, 1}[pair%3]
		byItself = append(byItself, window{Rate: 1000 / slow})
		observing = append(observing, window{Rate: (995 - float64(pair)) / slow})
	}
	seen := results{raceObserving: {nameByItself: byItself, nameObserving: observing}}
	got := map[string]float64{}
	perThread := 0.001 * float64(runtime.NumCPU()) / ycsbThreads * float64(time.Second) // A thousandth of the machine.
	for _, f := range seen.observingFigures(perThread) {
		got[f.name] = f.value
	}
	// With twelve values the 95 % interval of the median reaches from the third to the tenth (Conover, section 3.2).
	for name, want := range map[string]float64{
		"observing_tenfold_cost_percent": 1.05, "observing_tenfold_cost_percent_low": 0.7,
		"observing_tenfold_cost_percent_high": 1.4,
		"observing_cost_percent":              0.205, "observing_cost_percent_low": 0.17, "observing_cost_percent_high": 0.24,
	} {
		if math.Abs(got[name]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	for _, f := range (results{}).observingFigures(0) {
		if !math.IsNaN(f.value) {
			t.Errorf("%s is %v although nothing was measured", f.name, f.value)
		}
	}
}

func TestOneIsObservedAndTheOtherIsNot(t *testing.T) {
	race := programs{scratch: t.TempDir(), target: "127.0.0.1:1", scraped: "127.0.0.1:1"}.observingRace()
	files, databases := map[string]bool{}, map[string]bool{}
	for _, contender := range race.contenders {
		if err := contender.write(time.Second); err != nil {
			t.Fatal(err)
		}
		arguments := strings.Join(contender.command.Arguments, " ")
		scraped := strings.Contains(arguments, "--metrics-bind-address 127.0.0.1:")
		if scraped == strings.Contains(arguments, "--observe=false") || scraped != (contender.beside != nil) {
			t.Errorf("%s: %s, scraped: %t", contender.name, arguments, contender.beside != nil)
		}
		files[contender.command.Arguments[slices.Index(contender.command.Arguments, "-f")+1]] = true
		for _, database := range contender.databases {
			databases[database] = true
		}
	}
	if len(files) != 2 || len(databases) != 2 {
		t.Errorf("the two are started together, and share files or databases: %v, %v", files, databases)
	}
	lead := 0
	for i := 0; i < len(race.turns); i += 2 {
		if race.turns[i] == race.turns[i+1] {
			t.Errorf("turns %d and %d are no pair: %v", i, i+1, race.turns)
		}
		lead += 1 - 2*race.turns[i]
	}
	if lead != 0 {
		t.Errorf("one goes first more often than the other: %v", race.turns)
	}
}

func TestWhatIsNeverScrapedIsNoFigure(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if request.Header.Get("Accept") != scrapeFormat {
			t.Errorf("asked for %q", request.Header.Get("Accept"))
		}
		if request.URL.Path != "/metrics" {
			answer.WriteHeader(http.StatusNotFound)
		}
		_, _ = answer.Write([]byte("x"))
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := scrapeUntil(ctx, server.URL+"/metrics", time.Second); err == nil {
		t.Error("a scrape that was never sent is said to have been answered")
	}
	for path, want := range map[string]string{"/metrics": "", "/other": "404"} {
		err := scrapeOnce(t.Context(), server.URL+path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
