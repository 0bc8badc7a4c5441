package show

import (
	"fmt"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// timeLayout is how times are written, which are in UTC.
const timeLayout = "2006-01-02 15:04:05Z"

// occasions are why a suite is measured again, when it will be, and what was skipped.
func occasions(head *present.Facts, suite *benchv1alpha1.BenchmarkSuite) {
	switch occasion := suite.Status.Occasion; {
	case occasion == nil:
	case occasion.ScheduleTime != nil:
		head.Add("Measured:", "again by the schedule, "+occasion.ScheduleTime.UTC().Format(timeLayout))
	case occasion.RunNow != nil:
		head.Add("Measured:", "again as asked for by "+benchv1alpha1.RunNowAnnotation+", "+*occasion.RunNow)
	}
	schedule := suite.Status.Schedule
	if schedule == nil {
		return
	}
	if schedule.NextScheduleTime != nil {
		head.Add("Next:", schedule.NextScheduleTime.UTC().Format(timeLayout))
	}
	if schedule.Message != "" {
		head.Add("Skipped:", fmt.Sprintf("%s; the last: %s", number(schedule.Skipped), schedule.Message))
	}
}

// verdictOf is the verdict of a line, and whether it counts.
func verdictOf(line benchv1alpha1.ComparisonLine) string {
	if line.Acknowledged != nil {
		return string(line.Verdict) + ", acknowledged"
	}
	return string(line.Verdict)
}
