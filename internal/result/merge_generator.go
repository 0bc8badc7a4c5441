package result

import (
	"errors"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// mergeGenerators adds up what two pods used, and keeps the worse of what is about one pod or its machine.
func mergeGenerators(a, b reportv1.Generator) reportv1.Generator {
	return reportv1.Generator{
		CPUMicros:          a.CPUMicros + b.CPUMicros,
		AvailableCPUMicros: a.AvailableCPUMicros + b.AvailableCPUMicros,
		BusiestPodPercent:  max(a.BusiestPodPercent, b.BusiestPodPercent),
		ThrottledMicros:    max(a.ThrottledMicros, b.ThrottledMicros),
		GCPauseMicros:      a.GCPauseMicros + b.GCPauseMicros,
		GCCPUMicros:        a.GCCPUMicros + b.GCCPUMicros,
		WaitMicros:         a.WaitMicros + b.WaitMicros,
		Processors:         max(a.Processors, b.Processors),
		PeakMemoryBytes:    max(a.PeakMemoryBytes, b.PeakMemoryBytes),

		BusiestSecondPercent: max(a.BusiestSecondPercent, b.BusiestSecondPercent),
		StealMicros:          max(a.StealMicros, b.StealMicros),
		PressureMicros:       max(a.PressureMicros, b.PressureMicros),
		ProbeMicros:          max(a.ProbeMicros, b.ProbeMicros),
	}
}

// mergeDelays adds up how late the pods were.
func mergeDelays(merged *reportv1.Generator, parts []reportv1.Step) error {
	delays, waits := make([]string, len(parts)), make([]string, len(parts))
	for i, part := range parts {
		delays[i], waits[i] = part.Generator.Delay, part.Generator.GoroutineWait
	}
	return errors.Join(
		mergeEncoded(&merged.Delay, "the load generator's delay", delays),
		mergeEncoded(&merged.GoroutineWait, "waiting goroutines", waits))
}
