package dashboards

import "fmt"

// live are panels of what load pods and servers do while a run is measured, by the metrics of the load pods.
func live() []Panel {
	rate := func(metric string) string {
		return fmt.Sprintf("rate(mongobench_loadgen_%s{%s}[$__rate_interval])", metric, ofRun)
	}
	quantile := func(q, metric string) string {
		// Of classic buckets, and of native histograms where these are scraped in place of them.
		return fmt.Sprintf("histogram_quantile(%s, sum by (le, step) (%s)) or histogram_quantile(%s, sum by (step) (%s))",
			q, rate(metric+"_bucket"), q, rate(metric))
	}
	ofMember := func(metric string) string { return present("member", "mongobench_loadgen_server_"+metric, ofRun) }
	members := func(metric string) string { return "max by (member) (" + rate("server_"+metric) + ")" }
	return []Panel{
		lines("Throughput while it runs", "Operations a second that succeeded, over all load pods.", unitRate,
			query{"sum by (step, operation) (" + rate("operations_total") + ")", ofOperation}),
		lines("Latency while it runs", "Of all operations of a step: the response time in an open loop, otherwise the "+
			"service time. Off by 9 % at most.", unitSeconds,
			query{quantile("0.5", "latency_seconds"), "{{step}} p50"},
			query{quantile("0.99", "latency_seconds"), "{{step}} p99"}),
		lines("Errors while it runs", "Operations a second that failed, by class of error.", unitRate, query{
			"sum by (step, class) (" + rate("errors_total") + ") or 0 * sum by (step) (" + rate("operations_total") + ")",
			"{{step}} {{class}}",
		}),
		lines("Schedule while it runs", "Of an open loop: operations a second that were due, and that were dropped.",
			unitRate,
			query{"sum by (step) (" + rate("due_operations_total") + ")", "{{step}} due"},
			query{"sum by (step) (" + rate("dropped_operations_total") + ")", "{{step}} dropped"}),
		lines("Processors of the load pods", "CPU time over what the pod may use, since the step began. Near 100 % the "+
			"figures are the generator's own.", unitShare,
			query{present("pod, step", "mongobench_loadgen_cpu_saturation_ratio", ofRun), "{{pod}} {{step}}"}),
		lines("Processors of the servers", "Cores that each server uses.", unitShort,
			query{members("cpu_seconds_total"), "{{member}}"}),
		lines("Cache of the servers", "Bytes in the storage engine's cache, and how many of them are dirty.", unitBytes,
			query{ofMember("cache_used_bytes"), "{{member}} used"}, query{ofMember("cache_dirty_bytes"), "{{member}} dirty"}),
		lines("Disk of the servers", "Bytes a second that the storage engine read and wrote, besides the journal.",
			unitBytesRate,
			query{members("disk_read_bytes_total"), "{{member}} read"},
			query{members("disk_written_bytes_total"), "{{member}} written"}),
	}
}
