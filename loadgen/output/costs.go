package output

import (
	"fmt"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// costLine is what the target costs, and where the prices are from; empty where that is not known.
func costLine(cost *reportv1.Cost) string {
	if cost == nil {
		return ""
	}
	parts := []string{fmt.Sprintf("%s %s an hour for nodes, %s for storage", hourly(cost.ComputeNanosPerHour),
		cost.Currency, hourly(cost.StorageNanosPerHour))}
	if in, out := cost.NetworkInNanosPerGibibyte, cost.NetworkOutNanosPerGibibyte; in != nil && out != nil {
		parts = append(parts, fmt.Sprintf("%s for each GiB into the target and %s out of it", hourly(*in), hourly(*out)))
	}
	if cost.Source != "" {
		parts = append(parts, "prices: "+present.Harmless(cost.Source))
	}
	if cost.ValidFrom != "" {
		parts = append(parts, "valid from "+present.Harmless(cost.ValidFrom))
	}
	return strings.Join(parts, ", ")
}

// hourly writes billionths.
func hourly(nanos int64) string { return present.Money(nanos / 1000) }

// stepCost is what a step comes to; empty where that is not known.
func stepCost(cost *reportv1.StepCost) string {
	if cost == nil {
		return ""
	}
	return fmt.Sprintf("%s %s for a million operations, %s for a month at this rate",
		present.Money(cost.PerMillionOperationsMicros), cost.Currency, present.Money(cost.PerMonthAtRateMicros))
}
