package doctor

import "slices"

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

// monitoring is about something that nobody needs.
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
