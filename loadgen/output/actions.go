package output

import (
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// writeActions shows what was done to the target in a step, and what that did to the operations.
func writeActions(whole *layout, actions []reportv1.Action) {
	if len(actions) == 0 {
		return
	}
	table := &columns{left: 3}
	table.add("action", "type", "member", "after", "no success for", "recovered after")
	for _, action := range actions {
		table.add(action.Name, action.Type, action.Member, seconds(action.AtMillis),
			reportv1.FormatMicros(action.OutageMicros), recovery(action.RecoveryMillis))
	}
	whole.table(table)
	for _, action := range actions {
		if action.Error != "" {
			whole.line("! %s was not carried out: %s", action.Name, action.Error)
		}
	}
}

func recovery(millis *int64) string {
	switch {
	case millis == nil:
		return notKnown
	case *millis < 0:
		return "never"
	default:
		return seconds(*millis)
	}
}

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
