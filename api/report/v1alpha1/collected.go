package v1alpha1

import (
	"fmt"
	"strings"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// The operator does not read what load pods measured. One pod of the run, the collector, merges the reports of all of
// them, stores the merged one, and tells the operator what it comes to:
//
//	operator ── CollectOrder in the gate ──▶ collector ── merged Report ──▶ its place
//	operator ◀── Collected, 64 KiB at most ── collector

// Keys of the ConfigMaps by which operator and collector speak.
const (
	// CollectKey is the key of the gate's data that holds a CollectOrder: the reports are to be collected.
	CollectKey = "collect"
	// CollectedKey is the key of the data that holds a Collected, and TroubleKey, beside it, of what keeps the report from
	// being stored, in words. MissingKey is there as well when that is that the object to store it in is gone. Both go
	// when what was collected is told.
	CollectedKey = "collected"
	TroubleKey   = "trouble"
	MissingKey   = "missing"
	// DigestKey is the key of the data, beside a stored report, that holds its SHA-256 in hexadecimal.
	DigestKey = "report.sha256"
)

// CollectOrder asks for the reports of the load pods to be merged and stored. It says what of a report the operator
// alone knows.
type CollectOrder struct {
	// Cause is why the run ends before its plan: then the reports that there are make a partial one. Empty: those of all
	// load pods must be there.
	Cause string `json:"cause,omitempty"`
	// CPULimitMillicores is that of Server.
	CPULimitMillicores int64 `json:"cpuLimitMillicores,omitempty"`
	// Doubts and Remarks are those that rest on what the operator alone sees.
	Doubts  []Doubt  `json:"doubts,omitempty"`
	Remarks []string `json:"remarks,omitempty"`
	// Undone are the actions of the operator's that were not carried out.
	Undone []UndoneAction `json:"undone,omitempty"`
}

// UndoneAction is an action that was not carried out.
type UndoneAction struct {
	// Step and Action are names of the plan.
	Step   string `json:"step"`
	Action string `json:"action"`
	Why    string `json:"why"`
}

// Collected is what the operator is told of a run: all that it needs for a verdict, and none of what was measured at
// any single instant.
type Collected struct {
	// Version is the constant of the same name, and PlanHash that of the plan which was followed.
	Version  string `json:"version"`
	PlanHash string `json:"planHash"`
	// Failed is why there is no merged report; everything below is empty then.
	Failed string `json:"failed,omitempty"`
	// Stored is where the merged report lies.
	Stored Stored `json:"stored,omitzero"`
	// Partial is that of the report.
	Partial *Partial `json:"partial,omitempty"`
	// Overview of all steps, also of those that are left out of Summary.
	Overview Overview `json:"overview,omitzero"`
	// Summary of the report. Where it is too large its first steps are left out, OmittedSteps of them.
	Summary      Summary `json:"summary"`
	OmittedSteps int     `json:"omittedSteps,omitempty"`
	// Doubts are the reasons not to believe the numbers, and Remarks what else a reader has to know.
	Doubts  []Doubt  `json:"doubts,omitempty"`
	Remarks []string `json:"remarks,omitempty"`
	// StorageEngine, Durability and SyncMicros are those of the report's Server.
	StorageEngine string     `json:"storageEngine,omitempty"`
	Durability    string     `json:"durability,omitempty"`
	SyncMicros    SyncMicros `json:"syncMicros,omitzero"`
	// Conditions are what may have influenced the numbers.
	Conditions Conditions `json:"conditions"`
	// Duet is how the two sides of a duet compare; nil without one.
	Duet *CollectedDuet `json:"duet,omitempty"`
}

// CollectedDuet is what the operator is told of a duet.
type CollectedDuet struct {
	// Steps without their windows, of which there were Windows in all, Disturbed some of them, and without the course of
	// their lines.
	Steps     []DuetStep `json:"steps"`
	Windows   int        `json:"windows"`
	Disturbed int        `json:"disturbed,omitempty"`
	// StorageEngine, Durability, SyncMicros and Conditions are those of the baseline.
	StorageEngine string     `json:"storageEngine,omitempty"`
	Durability    string     `json:"durability,omitempty"`
	SyncMicros    SyncMicros `json:"syncMicros,omitzero"`
	Conditions    Conditions `json:"conditions"`
}

// Overview is what all measured steps of a report come to together. Nothing in it is an average, nor a sum of rates.
type Overview struct {
	// Steps that were measured, with their Operations that succeeded and Errors, those that failed.
	Steps      int   `json:"steps"`
	Operations int64 `json:"operations"`
	Errors     int64 `json:"errors,omitempty"`
	// Fastest is the step with the highest throughput, of equals the first.
	Fastest StepFigures `json:"fastest"`
	// Slowest is the step with the highest p99; nil when no step has as many operations as that takes.
	Slowest *StepFigures `json:"slowest,omitempty"`
}

// StepFigures are those of all operations of one step together.
type StepFigures struct {
	Step                string `json:"step"`
	OperationsPerSecond int64  `json:"operationsPerSecond"`
	// LimitedBy is the first of the step's LimitedBy.
	LimitedBy string `json:"limitedBy,omitempty"`
	TimesSummary
}

// Stored is where a merged report lies, and by what it is known to be the one.
type Stored struct {
	// ConfigMapName is the name of the ConfigMap, in the run's namespace, whose binary data holds the report as ReportKey.
	ConfigMapName string `json:"configMapName,omitempty"`
	// SHA256 of the encoded report, in hexadecimal, and its Bytes.
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Conditions are those under which a load was sent, as the load pods saw them.
type Conditions struct {
	LoadgenVersion string `json:"loadgenVersion,omitempty"`
	// Clients that sent the operations, each with what went with them.
	Clients []string `json:"clients,omitempty"`
	// Processors is the most that a load pod used at a time; 0 when nothing was measured.
	Processors int `json:"processors,omitempty"`
	// CPUModels and KernelSettings of the machines of the load pods.
	CPUModels      []string `json:"cpuModels,omitempty"`
	KernelSettings []string `json:"kernelSettings,omitempty"`
	// FilesHash is that of the report.
	FilesHash string `json:"filesHash,omitempty"`
	// FoundDocuments and FoundBytes are those of a dataset that the run did not load; nil where it did, or they are not
	// known.
	FoundDocuments *int64 `json:"foundDocuments,omitempty"`
	FoundBytes     *int64 `json:"foundBytes,omitempty"`
	// RoundTripMicros, ClockSpreadMicros, StealPercent and ThrottledPercent are those of a run's fingerprint; nil where
	// they are not known.
	RoundTripMicros   *int64 `json:"roundTripMicros,omitempty"`
	ClockSpreadMicros *int64 `json:"clockSpreadMicros,omitempty"`
	StealPercent      *int32 `json:"stealPercent,omitempty"`
	ThrottledPercent  *int32 `json:"throttledPercent,omitempty"`
}

// Doubt is a reason not to believe a report's numbers.
type Doubt struct {
	// Reason is a reason of a run's condition Trusted, such as StartSkew.
	Reason string `json:"reason"`
	// Message says in which step, by how much, and what to do.
	Message string `json:"message"`
}

// MaxCollectedBytes is the most that an encoded Collected may take.
const MaxCollectedBytes = 64 << 10

// collectedBounds are more than any Collected has that fits, and so few that what a hostile pod writes costs its reader
// little: 64 KiB of empty objects would take some twenty megabytes otherwise.
var collectedBounds = strictjson.Bounds{Bytes: MaxCollectedBytes, Depth: 12, Items: 256, Objects: 1500, Text: 8 << 10}

// EncodeCollected writes a Collected, of any size: package result makes it fit into MaxCollectedBytes.
func EncodeCollected(collected Collected) ([]byte, error) { return strictjson.Encode(collected) }

// DecodeCollected reads what EncodeCollected wrote, within bounds. The measurement has been made: fields that only a
// later release knows are passed over, which a remark tells.
func DecodeCollected(encoded []byte) (Collected, error) {
	var collected Collected
	if err := strictjson.DecodeBounded(encoded, collectedBounds, Version, &collected); err != nil {
		return Collected{}, fmt.Errorf("reading what was collected: %w", err)
	}
	collected.Remarks = append(collected.Remarks,
		passedOver("the load generator", "the operator", strictjson.Unknown(encoded, collected))...)
	return collected, nil
}

// EncodeCollectOrder writes a CollectOrder as the gate holds it.
func EncodeCollectOrder(order CollectOrder) ([]byte, error) { return strictjson.Encode(order) }

// DecodeCollectOrder reads what EncodeCollectOrder wrote. The measurement has been made: fields that only a later
// release knows are passed over, which a remark tells.
func DecodeCollectOrder(encoded []byte) (CollectOrder, error) {
	var order CollectOrder
	if err := strictjson.DecodeKnown(encoded, &order); err != nil {
		return CollectOrder{}, fmt.Errorf("reading the order to collect: %w", err)
	}
	order.Remarks = append(order.Remarks,
		passedOver("the operator", "the load generator", strictjson.Unknown(encoded, order))...)
	return order, nil
}

// mostPassedOver is how many fields a remark names.
const mostPassedOver = 5

// passedOver is the remark on fields that a reader of an earlier release passed over, if there are any.
func passedOver(writer, reader string, fields []string) []string {
	if len(fields) == 0 {
		return nil
	}
	more := ""
	if others := len(fields) - mostPassedOver; others > 0 {
		fields, more = fields[:mostPassedOver], fmt.Sprintf(" and %d more", others)
	}
	return []string{fmt.Sprintf("%s is of a later release than %s, which passed over %s%s", writer, reader,
		strings.Join(fields, ", "), more)}
}
