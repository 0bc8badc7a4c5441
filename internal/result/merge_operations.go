package result

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// mergeOperations merges the operations of the same step in several reports, in the order in which they first appear.
func mergeOperations(parts []reportv1.Step) ([]reportv1.Operation, error) {
	var order []string
	byName := map[string][]reportv1.Operation{}
	for _, part := range parts {
		for _, operation := range part.Operations {
			if byName[operation.Name] == nil {
				order = append(order, operation.Name)
			}
			byName[operation.Name] = append(byName[operation.Name], operation)
		}
	}
	var merged []reportv1.Operation
	for _, name := range order {
		operation, err := mergeOperation(byName[name])
		if err != nil {
			return nil, fmt.Errorf("operation %q: %w", name, err)
		}
		merged = append(merged, operation)
	}
	return merged, nil
}

func mergeOperation(parts []reportv1.Operation) (reportv1.Operation, error) {
	merged := reportv1.Operation{
		Name: parts[0].Name, Group: parts[0].Group, Kind: parts[0].Kind, PartOf: parts[0].PartOf,
	}
	var service, response, first, database, failedService, failedResponse []string
	// The times of some pods would look like those of all.
	complete := !slices.ContainsFunc(parts, func(o reportv1.Operation) bool {
		return o.Intervals != nil && o.IntervalTimes == nil
	})
	for _, part := range parts {
		if part.Kind != merged.Kind {
			return reportv1.Operation{}, fmt.Errorf("it is %s in one report and %s in another", merged.Kind, part.Kind)
		}
		merged.Count += part.Count
		merged.Errors += part.Errors
		merged.Stragglers += part.Stragglers
		merged.CarriedOver += part.CarriedOver
		merged.BusyMicros += part.BusyMicros
		merged.Documents += part.Documents
		addOutcomes(&merged, part)
		merged.Within = addWithin(merged.Within, part.Within)
		if merged.Expect == nil {
			merged.Expect = part.Expect
		}
		if merged.Recall == nil {
			merged.Recall = part.Recall // One pod alone finds it.
		}
		merged.Checks = addChecks(merged.Checks, part.Checks)
		merged.Retries += part.Retries
		merged.Unacknowledged += part.Unacknowledged
		merged.ErrorClasses = addClasses(merged.ErrorClasses, part.ErrorClasses)
		merged.Intervals = AddCounts(merged.Intervals, part.Intervals)
		merged.IntervalErrors = AddCounts(merged.IntervalErrors, part.IntervalErrors)
		if complete {
			merged.IntervalTimes = AddTimes(merged.IntervalTimes, part.IntervalTimes)
		}
		service = append(service, part.ServiceTime)
		response = append(response, part.ResponseTime)
		first = append(first, part.FirstDocument)
		database = append(database, part.DatabaseTime)
		failedService = append(failedService, part.FailedServiceTime)
		failedResponse = append(failedResponse, part.FailedResponseTime)
	}
	slices.SortStableFunc(merged.ErrorClasses, func(a, b reportv1.ErrorClass) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class))
	})
	return merged, errors.Join(
		mergeEncoded(&merged.ServiceTime, "service time", service),
		mergeEncoded(&merged.ResponseTime, "response time", response),
		mergeEncoded(&merged.FirstDocument, "first document", first),
		mergeEncoded(&merged.DatabaseTime, "database time", database),
		mergeEncoded(&merged.FailedServiceTime, "service time of failures", failedService),
		mergeEncoded(&merged.FailedResponseTime, "response time of failures", failedResponse))
}

// addChecks adds what became of the checks of an operation, which are the same in all reports.
func addChecks(sum, checks []reportv1.Check) []reportv1.Check {
	if sum == nil {
		return slices.Clone(checks)
	}
	for _, check := range checks {
		at := slices.IndexFunc(sum, func(known reportv1.Check) bool { return known.Name == check.Name })
		if at < 0 {
			sum = append(sum, check)
			continue
		}
		sum[at].Made += check.Made
		sum[at].Failed += check.Failed
	}
	return sum
}
