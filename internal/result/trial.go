package result

import (
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// maxTrialBytes bounds what is told of a trial. One that is larger has coarser histograms, by which no trial is judged:
// they say what was the limit.
const maxTrialBytes = 128 << 10

// EncodeTrial writes what a pod measured in a trial, as the one step of a report; nothing for nil.
func EncodeTrial(measured *reportv1.Step) ([]byte, error) {
	if measured == nil {
		return nil, nil
	}
	report := reportv1.Report{Version: reportv1.Version, Pods: 1, Steps: []reportv1.Step{*measured}}
	encoded, err := EncodeWithin(report, maxTrialBytes)
	if err != nil {
		return nil, fmt.Errorf("encoding what was measured in a trial: %w", err)
	}
	return encoded, nil
}

// DecodeTrial reads what EncodeTrial wrote.
func DecodeTrial(encoded []byte) (*reportv1.Step, error) {
	if len(encoded) == 0 {
		return nil, nil //nolint:nilnil // A pod that was late has measured nothing.
	}
	report, err := reportv1.Decode(encoded)
	switch {
	case err != nil:
		return nil, fmt.Errorf("what was measured in a trial: %w", err)
	case len(report.Steps) != 1:
		return nil, fmt.Errorf("what was measured in a trial are %d steps", len(report.Steps))
	}
	return &report.Steps[0], nil
}
