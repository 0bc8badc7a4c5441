package result

import (
	"cmp"
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
			if _, known := byName[operation.Name]; !known {
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
	merged := reportv1.Operation{Name: parts[0].Name, Kind: parts[0].Kind}
	var service, response, first []string
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
		merged.Documents += part.Documents
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
	}
	slices.SortStableFunc(merged.ErrorClasses, func(a, b reportv1.ErrorClass) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class))
	})
	var err error
	if merged.ServiceTime, err = mergeEncoded(service); err != nil {
		return reportv1.Operation{}, fmt.Errorf("service time: %w", err)
	}
	if merged.ResponseTime, err = mergeEncoded(response); err != nil {
		return reportv1.Operation{}, fmt.Errorf("response time: %w", err)
	}
	if merged.FirstDocument, err = mergeEncoded(first); err != nil {
		return reportv1.Operation{}, fmt.Errorf("first document: %w", err)
	}
	return merged, nil
}

// mergeEncoded adds encoded histograms up; of empty texts it is an empty text.
func mergeEncoded(encoded []string) (string, error) {
	if !slices.ContainsFunc(encoded, func(text string) bool { return text != "" }) {
		return "", nil
	}
	histogram, err := mergeHistograms(encoded...)
	if err != nil {
		return "", err
	}
	return reportv1.EncodeHistogram(histogram)
}

// addClasses adds up the counts of equal classes, and keeps the first message that it sees of each.
func addClasses(sum, more []reportv1.ErrorClass) []reportv1.ErrorClass {
	for _, class := range more {
		at := slices.IndexFunc(sum, func(c reportv1.ErrorClass) bool { return c.Class == class.Class })
		if at < 0 {
			sum = append(sum, class)
			continue
		}
		sum[at].Count += class.Count
	}
	return sum
}

// AddCounts adds a series to a sum, which grows as needed and is changed.
func AddCounts(sum, more []int64) []int64 {
	if len(more) > len(sum) {
		sum = append(sum, make([]int64, len(more)-len(sum))...)
	}
	for i, count := range more {
		sum[i] += count
	}
	return sum
}

// AddTimes adds the times of intervals to a sum, which grows as needed and is changed.
func AddTimes(sum, more [][]int64) [][]int64 {
	for i, times := range more {
		if i == len(sum) {
			sum = append(sum, []int64{})
		}
		sum[i] = AddCounts(slices.Clone(sum[i]), times)
	}
	return sum
}
