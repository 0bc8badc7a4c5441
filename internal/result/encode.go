package result

import (
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Encode writes a report as compressed JSON of at most MaxReportBytes. One that is too large loses resolution but no
// total: its intervals become longer, its histograms coarser, and finally the figures of single intervals and of the
// servers are dropped. Only a report of many thousand operations can still be too large, which is an error.
func Encode(report reportv1.Report) ([]byte, error) {
	return encodeWithin(report, reportv1.MaxReportBytes)
}

func encodeWithin(report reportv1.Report, limit int) ([]byte, error) {
	encoded, err := reportv1.Encode(report)
	for _, reduce := range reductions {
		for reduced := true; reduced && err == nil && len(encoded) > limit; {
			if report, reduced, err = reduce(report); err == nil && reduced {
				encoded, err = reportv1.Encode(report)
			}
		}
	}
	if err == nil && len(encoded) > limit {
		err = fmt.Errorf("encoding report: %d bytes at the coarsest, and %d are allowed: use fewer operations",
			len(encoded), limit)
	}
	if err != nil {
		return nil, err
	}
	return encoded, nil
}
