package suite_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// at is an occasion of a schedule, in a zone that is not UTC.
func at(hour int) benchv1alpha1.SuiteOccasion {
	zone := time.FixedZone("", 3600)
	return benchv1alpha1.SuiteOccasion{
		ScheduleTime: new(metav1.NewTime(time.Date(2026, time.November, 21, hour, 0, 0, 0, zone))),
	}
}

// TestNamesOfAnOccasionGolden pins the hashes of occasions: were they others in a later release, a suite that is under
// way would be measured again.
func TestNamesOfAnOccasionGolden(t *testing.T) {
	declared := with(t, "patch: {}")
	plan := compiled(t, declared)
	golden := text(plan.Again(declared, at(3))) +
		text(plan.Again(declared, benchv1alpha1.SuiteOccasion{RunNow: new("2026-11-21")}))
	compareGolden(t, "testdata/occasions.txt", golden)
}

func TestAnOccasionHasNamesOfItsOwn(t *testing.T) {
	declared := with(t, "patch: {}")
	plan := compiled(t, declared)
	seen := map[string]bool{plan.Revision: true, plan.Variants[0].Hash: true, plan.Slots[0].Name: true}
	for name, occasion := range map[string]benchv1alpha1.SuiteOccasion{
		"three":   at(3),
		"four":    at(4),
		"a value": {RunNow: new("2026-11-21T02:00:00Z")},
		"another": {RunNow: new("2026-11-21T02:00:01Z")},
	} {
		again := plan.Again(declared, occasion)
		for _, made := range []string{again.Revision, again.Variants[0].Hash, again.Slots[0].Name} {
			if seen[made] {
				t.Errorf("%s: %s is there already", name, made)
			}
			seen[made] = true
		}
		if len(again.Slots) != len(plan.Slots) || again.Occasion.Content != plan.Revision {
			t.Errorf("%s: %d runs of content %s", name, len(again.Slots), again.Occasion.Content)
		}
		next := again.Again(declared, at(3))
		if first := plan.Again(declared, at(3)); next.Revision != first.Revision || next.Slots[0] != first.Slots[0] {
			t.Errorf("%s: what follows on it depends on it", name)
		}
	}
	utc := at(3)
	utc.ScheduleTime = new(metav1.NewTime(utc.ScheduleTime.UTC()))
	if one, other := plan.Again(declared, utc).Revision, plan.Again(declared, at(3)).Revision; one != other {
		t.Errorf("the same time in two zones is %s and %s", one, other)
	}
}

func TestAValueThatIsTooLongForAStatusIsCut(t *testing.T) {
	declared := small(t, "repetitions: 1")
	long := func(end string) string {
		declared.Annotations = map[string]string{benchv1alpha1.RunNowAnnotation: strings.Repeat("a", 100) + end}
		return suite.RunNow(declared)
	}
	if one, other := long("1"), long("2"); one == other || len(one) != 63 || len(other) != 63 {
		t.Errorf("kept are %q and %q", one, other)
	}
}

func TestCompileFindsWhatIsWrongWithTimes(t *testing.T) {
	const known = "acknowledged: [{metric: P99Micros, reason: a, until: "
	for name, tc := range map[string]struct {
		fields string
		want   []string
	}{
		"a schedule is valid":           {"schedule: {cron: 0 2 * * *}", nil},
		"one of working days in Berlin": {"schedule: {cron: 30 22 * * MON-FRI, timeZone: Europe/Berlin}", nil},
		"a zone that there is not": {
			"schedule: {cron: '@daily', timeZone: CET/Berlin}", []string{"spec.schedule.timeZone: IANA"},
		},
		"the zone of the machine": {
			"schedule: {cron: '@daily', timeZone: Local}", []string{"spec.schedule.timeZone: IANA"},
		},
		"an hour that there is not": {
			"schedule: {cron: 0 24 * * *}", []string{"spec.schedule.cron: no schedule in cron syntax"},
		},
		"a day that there is not":     {"schedule: {cron: 0 0 31 4 *}", []string{"spec.schedule.cron: never comes"}},
		"an acknowledgement for days": {known + "2026-12-24}]", nil},
		"one to the second":           {known + "2026-12-24T18:00:00+01:00}]", nil},
		"one until a month that there is not": {
			known + "2026-13-24}]", []string{"spec.acknowledged[0].until: must be a time like"},
		},
		"one that says nothing": {
			"acknowledged: [{metric: P99Micros, reason: ' ', until: 2026-12-24}]",
			[]string{"spec.acknowledged[0].reason: it says nothing"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := suite.Compile(small(t, tc.fields))
			check(t, errs, tc.want)
		})
	}
}

func TestUntil(t *testing.T) {
	for text, want := range map[string]string{
		"2026-12-24":                  "2026-12-25T00:00:00Z",
		"2026-12-31":                  "2027-01-01T00:00:00Z",
		"2026-12-24T18:00:00+01:00":   "2026-12-24T17:00:00Z",
		"2026-12-24T18:00:00.999999Z": "2026-12-24T18:00:00Z",
	} {
		until, err := suite.Until(benchv1alpha1.Acknowledgement{Until: text})
		if got := until.Format(time.RFC3339Nano); err != nil || got != want {
			t.Errorf("%s ends at %s, want %s, %v", text, got, want, err)
		}
	}
}

// TestAnAcknowledgementOfASweepIsOfAllItsSteps names the step as it is declared.
func TestAnAcknowledgementOfASweepIsOfAllItsSteps(t *testing.T) {
	plan := compiled(t, small(t, "repetitions: 1"))
	plan.Variants[0].Steps = []suite.Step{{Name: "read-8", Declared: "read"}, {Name: "write", Declared: "write"}}
	for name, tc := range map[string]struct {
		step, line string
		want       bool
	}{
		"by the declared name":   {"read", "read-8", true},
		"by the name":            {"read-8", "read-8", true},
		"of another":             {"write", "read-8", false},
		"of a step without such": {"read", "write", false},
	} {
		is := plan.IsOf(benchv1alpha1.Acknowledgement{Metric: benchv1alpha1.MetricP99Micros, Step: &tc.step},
			benchv1alpha1.ComparisonLine{Metric: benchv1alpha1.MetricP99Micros, Variant: suite.DefaultVariant, Step: tc.line})
		if is != tc.want {
			t.Errorf("%s: %v", name, is)
		}
	}
}

func TestAChangeFromNothingIsMoreThanAnyPercentage(t *testing.T) {
	bounded := benchv1alpha1.Acknowledgement{MaxEffectPercent: new(int32(10))}
	for name, tc := range map[string]struct {
		effect *int64
		want   bool
	}{
		"as much":          {new(int64(-1000)), true},
		"more":             {new(int64(1001)), false},
		"more, downwards":  {new(int64(-1001)), false},
		"a change from 0 ": {nil, false},
	} {
		if got := suite.Covers(bounded, benchv1alpha1.ComparisonLine{EffectBasisPoints: tc.effect}); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !suite.Covers(benchv1alpha1.Acknowledgement{}, benchv1alpha1.ComparisonLine{}) {
		t.Error("without a limit there is one")
	}
}
