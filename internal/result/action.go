package result

import (
	"cmp"
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

const (
	// An interval is as good as before an action when it has recoveredTenths of the median of those before, or as much as
	// the least of them: what varied by more before the action is no trace of it. Yet leastTenths it must have.
	recoveredTenths = 9
	leastTenths     = 5
)

// FindRecovery says how long after an action of a step the throughput was as before it, for good: the end of the last
// interval, until the next action, that has less than nine tenths of what those before the action have in the middle,
// and less than each of them. Of an earlier action the recovery must be known already. It is 0 when there is no such
// interval, NeverRecovered when it is the last, and nil when there is no whole interval before the action, or after it.
func FindRecovery(step reportv1.Step, index int) *int64 {
	action, interval := step.Actions[index], int64(step.IntervalMillis)
	counts := Throughput(step)
	if interval <= 0 {
		return nil
	}
	from := (begin(step.Actions, index) + interval - 1) / interval
	at := action.AtMillis / interval
	end := min(action.UntilMillis/interval, int64(len(counts)))
	if from >= at || at >= end {
		return nil
	}
	before := slices.Sorted(slices.Values(counts[from:at]))
	median := before[len(before)/2]
	if median == 0 {
		return nil
	}
	enough := max(min(10*before[0], recoveredTenths*median), leastTenths*median)
	recovered := end
	for recovered > at && 10*counts[recovered-1] >= enough {
		recovered--
	}
	switch recovered {
	case end:
		return new(int64(reportv1.NeverRecovered))
	case at:
		return new(int64(0))
	default:
		return new(recovered*interval - action.AtMillis)
	}
}

// begin is from when on the throughput before an action counts, in milliseconds: from when the one before it was
// recovered from. Actions that were due at the same time have the same.
func begin(actions []reportv1.Action, index int) int64 {
	for i := index - 1; i >= 0; i-- {
		if actions[i].UntilMillis == actions[index].UntilMillis {
			continue
		}
		recovery := actions[i].RecoveryMillis
		if recovery == nil {
			return actions[i].AtMillis
		}
		return actions[i].AtMillis + max(*recovery, 0)
	}
	return 0
}

// mergeActions takes what pod 0 says of the actions, and the longest outage of any pod. The throughput is that of all
// pods together; where one pod could not tell the recovery, as in a load that is not the same all the time, neither can
// they all.
func mergeActions(merged reportv1.Step, parts []reportv1.Step) []reportv1.Action {
	if len(parts) == 1 {
		return parts[0].Actions
	}
	most := slices.MaxFunc(parts, func(a, b reportv1.Step) int { return len(a.Actions) - len(b.Actions) })
	actions := slices.Clone(most.Actions)
	for i := range actions {
		for _, part := range parts {
			if i >= len(part.Actions) {
				continue
			}
			said := part.Actions[i]
			actions[i].OutageMicros = max(actions[i].OutageMicros, said.OutageMicros)
			if said.Member != "" || said.Error != "" {
				actions[i].Member, actions[i].Error, actions[i].AtMillis = said.Member, said.Error, said.AtMillis
			}
			actions[i].Outcome = cmp.Or(said.Outcome, actions[i].Outcome)
			actions[i].TookMicros = max(actions[i].TookMicros, said.TookMicros)
		}
	}
	merged.Actions = actions
	for i := range actions {
		if actions[i].RecoveryMillis != nil {
			actions[i].RecoveryMillis = FindRecovery(merged, i)
		}
	}
	return actions
}

// Fail says of an action of a step that it was not carried out.
func Fail(r *reportv1.Report, step, action, why string) {
	for i := range r.Steps {
		if r.Steps[i].Name != step {
			continue
		}
		for j := range r.Steps[i].Actions {
			if r.Steps[i].Actions[j].Name == action {
				r.Steps[i].Actions[j].Error = why
			}
		}
	}
}

// undisturbed counts what of an operation succeeded and failed in the whole intervals of a step before its first
// action, or in all of it. What comes after an action is what the action was to show: errors of operations that a
// primary left, and a throughput that is not the same. It is in the result, and no reason to doubt it.
func undisturbed(s reportv1.Step, operation reportv1.Operation) (succeeded, failed int64) {
	if len(s.Actions) == 0 {
		return operation.Count, operation.Errors
	}
	whole := int(s.Actions[0].AtMillis / int64(max(s.IntervalMillis, 1)))
	return sum(operation.Intervals[:min(whole, len(operation.Intervals))]),
		sum(operation.IntervalErrors[:min(whole, len(operation.IntervalErrors))])
}

// actionFailed doubts a step whose action was not carried out: it does not show what its name says.
func actionFailed(step judged) doubtful {
	for _, action := range step.Actions {
		if action.Error != "" {
			return doubtful{1, fmt.Sprintf("step %q: action %q was not carried out: %s", step.Name, action.Name, action.Error)}
		}
	}
	return doubtful{}
}
