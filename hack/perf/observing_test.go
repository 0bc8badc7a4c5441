package main

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestObservingIsComparedPairByPair(t *testing.T) {
	seen := results{raceObserving: {}}
	for pair := range observingPairs {
		// The second of three rounds was disturbed, and the second pair came out a little better.
		slow := func(round int) float64 { return []float64{1, 3, 1}[round] }
		seen[raceObserving][observingName(false, pair)] = rounds(func(round int) window {
			return window{Rate: 1000 / slow(round), Client: 60, Server: 40}
		})
		seen[raceObserving][observingName(true, pair)] = rounds(func(round int) window {
			return window{Rate: (980 + 10*float64(pair)) / slow(round), Client: 61, Server: 41}
		})
	}
	got := map[string]float64{}
	for _, f := range seen.observingFigures() {
		got[f.name] = f.value
	}
	if cost := got["observing_cost_percent"]; math.Abs(cost-1.5) > 1e-9 {
		t.Errorf("observing costs %v %%, want 1.5", cost)
	}
	if apart := got["observing_pairs_spread_percent"]; math.Abs(apart-100*0.01/0.985) > 1e-9 {
		t.Errorf("the pairs are %v %% apart, want the hundredth between them", apart)
	}
	if more := got["observing_cpu_percent"]; math.Abs(more-2) > 1e-9 {
		t.Errorf("observing costs %v %% more CPU time, want 2", more)
	}
	for _, f := range (results{}).observingFigures() {
		if !math.IsNaN(f.value) {
			t.Errorf("%s is %v although nothing was measured", f.name, f.value)
		}
	}
}

func TestOneOfAPairIsObservedAndTheOtherIsNot(t *testing.T) {
	race := programs{scratch: t.TempDir(), scraped: "127.0.0.1:1"}.observingRace()
	order := make([]bool, 0, len(race.contenders))
	for _, contender := range race.contenders {
		command, _, err := contender.prepare("127.0.0.1:1", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		arguments := strings.Join(command.arguments, " ")
		scraped := strings.Contains(arguments, "--metrics-bind-address 127.0.0.1:")
		if scraped == strings.Contains(arguments, "--observe=false") || scraped != (contender.beside != nil) {
			t.Errorf("%s: %s, scraped: %t", contender.name, arguments, contender.beside != nil)
		}
		order = append(order, scraped)
	}
	if want := []bool{false, true, true, false}; !slices.Equal(want, order) {
		t.Errorf("scraped in the order %v, want %v", order, want)
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
	if err := scrapeUntil(ctx, server.URL+"/metrics"); err == nil {
		t.Error("a scrape that was never sent is said to have been answered")
	}
	for path, want := range map[string]string{"/metrics": "", "/other": "404"} {
		err := scrapeOnce(t.Context(), server.URL+path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
