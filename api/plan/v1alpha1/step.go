package v1alpha1

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Alone says whether the step is the work of pod 0 alone.
func (k StepKind) Alone() bool {
	switch k {
	case StepPrepare, StepIndex, StepVerify, StepSurvey, StepBalance, StepSize:
		return true
	default:
		return false
	}
}

// Growing says whether the step belongs to a checkpoint of a growth, after the loading of the dataset.
func (s Step) Growing() bool {
	return s.Documents > 0
}

// Loads says whether the step belongs to the loading of the dataset, before anything is measured.
func (s Step) Loads() bool {
	return s.Kind != StepMeasure && !s.Growing()
}

// AfterLoading is the index of the first step that does not belong to the loading; the number of steps if none does.
func (p Plan) AfterLoading() int {
	first := slices.IndexFunc(p.Steps, func(s Step) bool { return !s.Loads() })
	if first < 0 {
		return len(p.Steps)
	}
	return first
}

// Names of the steps that a plan begins with. A step of a workload cannot have one of them.
const (
	StepNamePrepare = "prepare"
	StepNameLoad    = "load"
	StepNameIndex   = "index"
	StepNameBalance = "balance"
	StepNameVerify  = "verify"
	StepNameSurvey  = "survey"
	// StepNameSize is completed by GrowthStepName.
	StepNameSize = "size"
)

// GrowthStepName is the name, in the plan and in the result, of a step at the checkpoint of this size.
func GrowthStepName(step string, size int64) string {
	return fmt.Sprintf("%s-%d", step, size)
}

// SweepStepName is the name, in the plan and in the result, of the step that measures one number of a sweep.
func SweepStepName(step string, number int32) string {
	return fmt.Sprintf("%s-%d", step, number)
}

// PoolSize is the most connections of the Application client in each pod; 0: as the connection string says.
func (s Step) PoolSize() int {
	if s.Connections == nil {
		return 0
	}
	return s.Connections.PoolSize
}

// Fresh says whether each operation of the Wire client opens a connection of its own.
func (s Step) Fresh() bool { return s.Connections != nil && s.Connections.Fresh }

// GateKey is the key of a gate ConfigMap's data that holds the start instant of the plan's step with this index.
func GateKey(step int) string {
	return fmt.Sprintf("start-%d", step)
}

// ActionKey is the key of a gate ConfigMap's data under which the operator notes the UID of the pod that it does an
// action of a step to.
func ActionKey(step, action int) string {
	return fmt.Sprintf("action-%d-%d", step, action)
}

// FormatStart writes a start instant as the gate holds it: nanoseconds since 1970.
func FormatStart(start time.Time) string {
	return strconv.FormatInt(start.UnixNano(), 10)
}

// ParseStart reads what FormatStart wrote.
func ParseStart(text string) (time.Time, error) {
	nanos, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading start instant %q: %w", text, err)
	}
	return time.Unix(0, nanos), nil
}

// Share splits the numbers from 0 to total-1 into parts that follow one another, as equal as they can be, and tells
// which of them part index has: count numbers from first on. The parts cover everything exactly once.
//
//	Share(10, 4, …)    0 1 2 | 3 4 5 | 6 7 | 8 9
//
// A part that does not exist (parts below 1, or an index outside of them) has nothing.
func Share(total int64, parts, index int) (first, count int64) {
	if total <= 0 || parts < 1 || index < 0 || index >= parts {
		return 0, 0
	}
	// Not total*index/parts: the product can exceed 64 bits.
	each, rest := total/int64(parts), total%int64(parts)
	first = int64(index)*each + min(int64(index), rest)
	if int64(index) < rest {
		return first, each + 1
	}
	return first, each
}
