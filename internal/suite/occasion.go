package suite

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/timetable"
)

// Current is the plan of what a suite measures now: its content for the first time, or again if its status says on
// which occasion. A change of the content keeps the occasion: variants that it does not concern have the same hash as
// before, and so the same runs.
func (p Plan) Current(suite *benchv1alpha1.BenchmarkSuite) Plan {
	if occasion := suite.Status.Occasion; occasion != nil {
		p = p.Again(suite, *occasion)
	}
	return p.KeptBy(suite)
}

// Again is the plan that measures the same content again. The occasion is part of every name: of runs, of targets that
// the suite makes, and of the result, so that what is there of another occasion is left alone, and nothing is made
// twice for one. The order and the seeds are the content's.
func (p Plan) Again(suite *benchv1alpha1.BenchmarkSuite, occasion benchv1alpha1.SuiteOccasion) Plan {
	first := p.content()
	occasion.Content = first.Revision
	again := Plan{Occasion: &occasion, Content: &first, Variants: slices.Clone(first.Variants)}
	for i := range again.Variants {
		again.Variants[i].Hash = occasionHash(first.Variants[i].Hash, occasion)
	}
	again.Revision = occasionHash(first.Revision, occasion)
	again.Slots = slots(suite, again.Variants)
	return again
}

// content is the plan without an occasion.
func (p Plan) content() Plan {
	if p.Content != nil {
		return *p.Content
	}
	return p
}

// occasionHash is the hash of what has a hash of its own on an occasion.
func occasionHash(of string, occasion benchv1alpha1.SuiteOccasion) string {
	hashed := struct {
		Format       string  `json:"format"`
		Of           string  `json:"of"`
		ScheduleTime string  `json:"scheduleTime,omitempty"`
		RunNow       *string `json:"runNow,omitempty"`
	}{Format: hashFormat, Of: of, RunNow: occasion.RunNow}
	if at := occasion.ScheduleTime; at != nil {
		hashed.ScheduleTime = at.UTC().Format(time.RFC3339)
	}
	return hashOf(hashed)
}

// RunNow is the value of the annotation that asks for another measurement, as a status keeps it; empty: there is none.
func RunNow(suite *benchv1alpha1.BenchmarkSuite) string {
	return cut(suite.Annotations[benchv1alpha1.RunNowAnnotation], maxLabel)
}

// Timetable has the times of a suite's schedule.
func Timetable(schedule benchv1alpha1.SuiteSchedule) (timetable.Timetable, *field.Error) {
	path := field.NewPath("spec", "schedule")
	normal := spec.NormaliseSuite(benchv1alpha1.BenchmarkSuiteSpec{Schedule: &schedule}).Schedule
	zone, err := timetable.Zone(*normal.TimeZone)
	if err != nil {
		return timetable.Timetable{}, field.Invalid(path.Child("timeZone"), *normal.TimeZone, err.Error())
	}
	table, err := timetable.Parse(normal.Cron, zone)
	if err != nil {
		return timetable.Timetable{}, field.Invalid(path.Child("cron"), normal.Cron, err.Error())
	}
	return table, nil
}

// checkOccasions wants the schedule and the acknowledgements to be at times that there are.
func checkOccasions(declared benchv1alpha1.BenchmarkSuiteSpec) field.ErrorList {
	var errs field.ErrorList
	if declared.Schedule != nil {
		if _, err := Timetable(*declared.Schedule); err != nil {
			errs = append(errs, err)
		}
	}
	for i, acknowledged := range declared.Acknowledged {
		path := field.NewPath("spec", "acknowledged").Index(i)
		if _, err := Until(acknowledged); err != nil {
			errs = append(errs, field.Invalid(path.Child("until"), acknowledged.Until,
				"must be a time like 2026-12-24T18:00:00Z, or a date like 2026-12-24"))
		}
		if strings.TrimSpace(acknowledged.Reason) == "" {
			errs = append(errs, field.Required(path.Child("reason"), "it says nothing"))
		}
	}
	return errs
}
