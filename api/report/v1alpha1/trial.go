package v1alpha1

import (
	"fmt"
	"time"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// Keys of the binary data of a load pod's ConfigMap, by which the pods of a search go through its trials together. The
// operator reads none of them.
const (
	// TrialOrderKey holds a TrialOrder; pod 0 writes it.
	TrialOrderKey = "trial-order"
	// TrialAnswerKey holds a TrialAnswer but for what was measured, and TrialMeasuredKey that, as the one step of an
	// encoded Report; every other pod writes both.
	TrialAnswerKey   = "trial-answer"
	TrialMeasuredKey = "trial-measured"
)

// TrialOrder is what pod 0 tells the other pods of a search to do next.
type TrialOrder struct {
	// Step is the index, in the plan, of the step that searches, and Number that of the trial, from 1 on.
	Step   int `json:"step"`
	Number int `json:"number"`
	// Rate of all pods together, in operations per second, and whether it is to be confirmed.
	Rate         int64 `json:"rate,omitempty"`
	Confirmation bool  `json:"confirmation,omitempty"`
	// Start is when the rate begins; it is counted a little later.
	Start time.Time `json:"start,omitzero"`
	// Settled is how many operations that are not counted were sent before, and Used how many were counted: the numbers of
	// those of the trial follow.
	Settled int64 `json:"settled,omitempty"`
	Used    int64 `json:"used,omitempty"`
	// Percent of the search that is done.
	Percent int `json:"percent,omitempty"`
	// Over says that there is no other trial, and Failed why pod 0 gave the search up; empty when it did not.
	Over   bool   `json:"over,omitempty"`
	Failed string `json:"failed,omitempty"`
}

// TrialAnswer is what a load pod has done of a TrialOrder.
type TrialAnswer struct {
	// Step and Number are those of the order.
	Step   int `json:"step"`
	Number int `json:"number"`
	// LateMicros is how long after the start the pod learnt of it, and then sent nothing; 0 when it was in time.
	LateMicros int64 `json:"lateMicros,omitempty"`
	// Failed is why the pod ends; empty when it does not.
	Failed string `json:"failed,omitempty"`
	// InTime are the operations that the pod had answered within the objective, for each period in which they were due.
	InTime []int64 `json:"inTime,omitempty"`
	// Measured is what the pod measured; nil when it was late or ends.
	Measured *Step `json:"-"`
}

// trialBounds are more than any order or answer has.
var trialBounds = strictjson.Bounds{Bytes: 8 << 10, Depth: 3, Items: 128, Objects: 4, Text: 2 << 10}

// EncodeTrial writes a TrialOrder or a TrialAnswer.
func EncodeTrial[T TrialOrder | TrialAnswer](said T) ([]byte, error) { return strictjson.Encode(said) }

// DecodeTrial reads what EncodeTrial wrote.
func DecodeTrial[T TrialOrder | TrialAnswer](encoded []byte) (said T, err error) {
	if err = trialBounds.Check(encoded); err == nil {
		err = strictjson.DecodeKnown(encoded, &said)
	}
	if err != nil {
		return said, fmt.Errorf("reading what a load pod said of a trial: %w", err)
	}
	return said, nil
}
