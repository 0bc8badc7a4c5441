package harness

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTheManagerIsJudgedByItsLargestSample(t *testing.T) {
	cases := map[string]struct {
		scenarios int
		samples   []int64
		want      string
	}{
		"no scenario was run":       {},
		"every sample is small":     {scenarios: 2, samples: []int64{30e6, 40e6}},
		"one sample is too large":   {scenarios: 2, samples: []int64{60e6, 40e6}, want: "needed 60.0 MB"},
		"there is no sample at all": {scenarios: 2, want: "could not be read"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Summary{}
			for range tc.scenarios {
				s.Scenario("TestA", time.Second, false)
			}
			for _, sample := range tc.samples {
				s.Memory(sample)
			}
			err := s.Verdict()
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestTheSummaryIsATable(t *testing.T) {
	s := &Summary{}
	s.Scenario("TestFirst", 1500*time.Millisecond, false)
	s.Scenario("TestTheSecond", 20*time.Second, true)
	s.Figure("all gone after %d s", 3)
	s.Memory(41_250_000)
	var written strings.Builder
	if err := s.Write(&written); err != nil {
		t.Fatal(err)
	}
	want := "First          ok         1.5 s\n" +
		"TheSecond      FAILED    20.0 s\n" +
		"all scenarios            21.5 s\n" +
		"all gone after 3 s\n" +
		"manager: at most 41.2 MB resident, in 1 samples\n"
	if difference := cmp.Diff(want, written.String()); difference != "" {
		t.Error(difference)
	}
}

func TestMetric(t *testing.T) {
	const text = "# HELP a b\nprocess_resident_memory_bytes_total 1\nprocess_resident_memory_bytes 4.1e+07\n"
	got, err := Metric(text, residentMemory)
	if err != nil || got != 4.1e7 {
		t.Errorf("got %v, %v, want 41000000", got, err)
	}
	if _, err := Metric(text, "nothing"); err == nil {
		t.Error("a metric was found that is not there")
	}
}

func TestDifference(t *testing.T) {
	objects := map[string]string{"Pod b": "1", "Pod a": "2", "Job c": "3"}
	superfluous, missing := Difference(objects, []string{"Job c", "Job d"})
	if difference := cmp.Diff([]string{"Pod a", "Pod b"}, superfluous); difference != "" {
		t.Errorf("superfluous: %s", difference)
	}
	if difference := cmp.Diff([]string{"Job d"}, missing); difference != "" {
		t.Errorf("missing: %s", difference)
	}
}
