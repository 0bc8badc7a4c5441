package spec

import (
	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// replay fills in the defaults of a replay.
func replay(replay *benchv1alpha1.Replay) {
	if replay == nil {
		return
	}
	product.Default(&replay.Pace, benchv1alpha1.ReplayRecorded)
	if *replay.Pace == benchv1alpha1.ReplayRecorded {
		product.Default(&replay.SpeedPercent, benchv1alpha1.DefaultReplaySpeedPercent)
	}
	product.Default(&replay.Writes, benchv1alpha1.ReplayWritesSkip)
	product.Default(&replay.Answers, benchv1alpha1.ReplayAnswersCompare)
}

// compileReplay has everything go to the database of the run, which is the only one that its user may write.
func compileReplay(declared *benchv1alpha1.Replay, database string) *planv1.Replay {
	if declared == nil {
		return nil
	}
	const percent = 100
	planned := &planv1.Replay{
		Recording: CompileFile(declared.Recording),
		Writes:    *declared.Writes == benchv1alpha1.ReplayWritesSend,
		Databases: declared.Databases,
		Into:      map[string]string{"*": database},
		AnyAnswer: *declared.Answers == benchv1alpha1.ReplayAnswersIgnore,
	}
	if *declared.Pace == benchv1alpha1.ReplayRecorded {
		planned.Speed = float64(*declared.SpeedPercent) / percent
	}
	return planned
}
