package decide

import (
	"encoding/json"
	"fmt"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
)

// maxStatusBytes is the most that the status of a run may take as JSON: lists of hundreds of runs stay readable.
const maxStatusBytes = 16 << 10

// result is the summary of a stored report, as the status holds it.
func result(run string, report reportv1alpha1.Report, digest string) (*benchv1alpha1.Result, error) {
	summary, err := reportv1alpha1.Summarise(report)
	if err != nil {
		return nil, err
	}
	if len(summary.Steps) == 0 {
		return nil, fmt.Errorf("the report of run %s holds no measured step", run)
	}
	last := summary.Steps[len(summary.Steps)-1].Overall
	r := &benchv1alpha1.Result{
		OperationsPerSecond: new(last.OperationsPerSecond),
		P99Micros:           new(last.P99Micros),
		P99:                 reportv1alpha1.FormatMicros(last.P99Micros),
		Report:              benchv1alpha1.ReportReference{ConfigMapName: naming.ReportConfigMap(run), SHA256: digest},
	}
	for _, step := range summary.Steps {
		r.Steps = append(r.Steps, stepResult(step))
	}
	for _, sweep := range summary.Sweeps {
		r.Sweeps = append(r.Sweeps, sweepResult(sweep))
	}
	if load := summary.Load; load != nil {
		r.Load = &benchv1alpha1.LoadResult{
			Documents:          new(load.Documents),
			DurationMillis:     new(load.DurationMillis),
			DocumentsPerSecond: new(load.DocumentsPerSecond),
		}
	}
	return r, nil
}

// fit leaves out what the stored report holds as well until the status is small enough: the first steps, since the
// last one is what the short figures tell of; then the server's warnings, from the end; then the figures of the last
// step that not every run has.
func fit(status *benchv1alpha1.BenchmarkRunStatus) {
	for size(status) > maxStatusBytes {
		switch {
		case status.Result != nil && len(status.Result.Steps) > 1:
			status.Result.Steps = status.Result.Steps[1:]
			omitted := int32(1)
			if status.Result.OmittedSteps != nil {
				omitted += *status.Result.OmittedSteps
			}
			status.Result.OmittedSteps = &omitted
		case status.Server != nil && len(status.Server.StartupWarnings) > 0:
			warnings := status.Server.StartupWarnings
			status.Server.StartupWarnings = warnings[:len(warnings)-1]
		case status.Result != nil && len(status.Result.Steps) == 1 && strip(&status.Result.Steps[0]):
		default:
			return
		}
	}
}

func size(status *benchv1alpha1.BenchmarkRunStatus) int {
	text, err := json.Marshal(status)
	if err != nil {
		return 0
	}
	return len(text)
}
