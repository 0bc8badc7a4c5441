package doctor

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Examine runs all checks, in the order in which a run would come to grief.
func Examine(o Observation) []Finding {
	return slices.Concat(
		[]Finding{operator(o)},
		definitions(o),
		rightsOf(o),
		[]Finding{namespace(o)},
		quotas(o),
		limitRanges(o),
		[]Finding{storage(o)},
		nodes(o),
		[]Finding{monitoring(o)},
		kernel(o),
	)
}

// monitoring is optional: no run needs it.
func monitoring(o Observation) Finding {
	const check = "prometheus"
	switch {
	case o.Monitoring.Err != nil:
		return unseen(check, "the kinds of the Prometheus Operator", o.Monitoring.Err)
	case o.Monitoring.Value:
		return ok(check, "ServiceMonitor and PrometheusRule are known: the chart's serviceMonitor and prometheusRule work")
	default:
		return ok(check, "the Prometheus Operator is not there; only the chart's serviceMonitor and prometheusRule need it")
	}
}

// Level says how grave a finding is.
type Level string

// The levels.
const (
	// OK is as it should be.
	OK Level = "ok"
	// Warn is what may spoil a result or keep some runs from starting, and all that could not be seen.
	Warn Level = "warn"
	// Fail is what no run gets past.
	Fail Level = "fail"
)

// Finding is what one check came to.
type Finding struct {
	Check string `json:"check"`
	Level Level  `json:"level"`
	// Found is what there is, and Do what to do about it; empty when there is nothing to be done.
	Found string `json:"found"`
	Do    string `json:"do,omitempty"`
}

// Failed says whether any of them is a Fail.
func Failed(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Level == Fail })
}

func ok(check, format string, arguments ...any) Finding {
	return Finding{Check: check, Level: OK, Found: fmt.Sprintf(format, arguments...)}
}

func warn(check, do, format string, arguments ...any) Finding {
	return Finding{Check: check, Level: Warn, Found: fmt.Sprintf(format, arguments...), Do: do}
}

func fail(check, do, format string, arguments ...any) Finding {
	return Finding{Check: check, Level: Fail, Found: fmt.Sprintf(format, arguments...), Do: do}
}

// unseen is what could not be read.
func unseen(check, what string, err error) Finding {
	if apierrors.IsForbidden(err) {
		return warn(check, "ask for the right to list them, or ask someone who has it to check",
			"unknown: %s may not be listed by this user", what)
	}
	return warn(check, "try again", "unknown: reading %s: %v", what, err)
}
