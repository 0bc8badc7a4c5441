package result

import (
	"cmp"
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// addOutlets adds up what became of the outlets of all pods, and keeps the first error of each.
func addOutlets(sum, more []reportv1.Outlet) []reportv1.Outlet {
	for _, outlet := range more {
		whole := entry(&sum, reportv1.Outlet{Name: outlet.Name}, func(o reportv1.Outlet) string { return o.Name })
		whole.Written += outlet.Written
		whole.Lost += outlet.Lost
		whole.Error = cmp.Or(whole.Error, outlet.Error)
	}
	return sum
}

// lostOutlets tells what did not come to where it was to be written or sent: the result itself lacks nothing of it.
func lostOutlets(report reportv1.Report) []string {
	var lost []string
	for _, outlet := range report.Outlets {
		switch {
		case outlet.Error != "":
			lost = append(lost, fmt.Sprintf("%s: %s written and %s lost: %s", outlet.Name, present.Count(outlet.Written),
				present.Count(outlet.Lost), outlet.Error))
		case outlet.Lost > 0:
			lost = append(lost, fmt.Sprintf("%s: %s written and %s lost", outlet.Name, present.Count(outlet.Written),
				present.Count(outlet.Lost)))
		}
	}
	return lost
}
