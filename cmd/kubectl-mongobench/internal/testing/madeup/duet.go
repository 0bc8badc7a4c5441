package madeup

import (
	"math"
	"math/rand/v2"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/duet"
)

const (
	// duetRate is the usual throughput of a window of the baseline, and duetWindow its length in milliseconds; every
	// round takes a little longer.
	duetRate, duetWindow, duetRound = 1600, 1000, 1060
	// quiet is the share of values by which a window is slower or faster than the machine lets it be.
	quiet = 0.02
	// disturbedGroup is the number of the group that a checkpoint falls into.
	disturbedGroup = 9
)

// Duet is the report of a run that was measured in turns with a baseline, in so many groups of windows: it has lost the
// share of its throughput that is told, and its latency has grown as much. The machine slows down and speeds up, and a
// checkpoint disturbs one group.
func Duet(shape RunShape, groups int, lost float64) (reportv1.Report, error) {
	report, err := Run(shape)
	if err != nil {
		return report, err
	}
	baseline, err := Run(shape)
	if err != nil {
		return report, err
	}
	lines := []planv1.Line{
		{Metric: benchv1alpha1.MetricOperationsPerSecond, MinEffectPercent: 5, ConfidencePercent: 95},
		{Metric: benchv1alpha1.MetricP99Micros, LowerIsBetter: true, MinEffectPercent: 5, ConfidencePercent: 95},
	}
	judge, err := duet.NewJudge([]string{"operation-1"}, lines, len(lines))
	if err != nil {
		return report, err
	}
	random := rand.New(rand.NewPCG(shape.Seed, 9))
	step := reportv1.DuetStep{Name: "mixed", WindowMillis: duetWindow}
	for number := range groups {
		if judge.Decided() {
			break
		}
		group, err := duetGroup(&step, number, lost, random)
		if err != nil {
			return report, err
		}
		judge.Add(group)
	}
	step.Lines = judge.Lines()
	report.Duet = &reportv1.Duet{
		Form: benchv1alpha1.DuetAlternating, Baseline: baseline, Steps: []reportv1.DuetStep{step},
	}
	return report, nil
}

// duetGroup makes up the windows of a group, and adds them to the step.
func duetGroup(step *reportv1.DuetStep, number int, lost float64, random *rand.Rand) (duet.Group, error) {
	group := duet.Group{}
	if number == disturbedGroup {
		group.Disturbed = "writes a checkpoint"
	}
	for _, round := range duet.Form(benchv1alpha1.DuetAlternating).Rounds(number) {
		side := round[0]
		at := int64(len(step.Windows)) * duetRound
		// What the machine does to both sides, over some minutes.
		share := 1 + 0.15*math.Sin(float64(at)/40_000) + quiet*random.NormFloat64()
		if side == duet.Candidate {
			share *= 1 - lost
		}
		histogram := reportv1.NewHistogram()
		replies := int64(duetRate * share)
		for range replies {
			micros := int64(math.Exp(6.5+0.5*random.NormFloat64()) / share)
			if err := histogram.RecordValue(micros); err != nil {
				return group, err
			}
		}
		group.Windows[side] = append(group.Windows[side], duet.Window{
			Length: duetWindow * time.Millisecond, Operations: []duet.Operation{{Replies: replies, Latency: histogram}},
		})
		step.Windows = append(step.Windows, reportv1.DuetWindow{
			Side: side.String(), AtMillis: at, Replies: replies, Disturbed: group.Disturbed,
		})
		step.ElapsedMillis = at + duetWindow
	}
	group.At = time.Duration(step.ElapsedMillis) * time.Millisecond
	return group, nil
}
