package output

import (
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// actionColumns are those that only the lines of actions have.
var actionColumns = []string{"member", "atMillis", "outageMicros", "recoveryMillis", "error"}

// actionRow is a line of the CSV for an action.
func actionRow(step reportv1.StepSummary, action reportv1.Action) []string {
	row := make([]string, len(csvColumns))
	copy(row, []string{step.Name, action.Name, action.Type})
	recovered := ""
	if action.RecoveryMillis != nil {
		recovered = decimal(*action.RecoveryMillis)
	}
	copy(row[len(row)-len(actionColumns):], []string{
		action.Member, decimal(action.AtMillis), decimal(action.OutageMicros), recovered, action.Error,
	})
	return row
}
