package collect

import (
	"encoding/json"

	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// MaxStatusBytes is the most that the status of a run may take as JSON: lists of hundreds of runs stay readable, and
// maxSteps steps of an operation each fit, since a suite compares what is here.
const MaxStatusBytes = 50 << 10

// maxSteps is how many steps the status of a run holds. A growth may have more.
const maxSteps = 32

// maxSweeps and maxSizes are how many sweeps and sizes of a growing collection it holds; of these the last ones.
const maxSweeps, maxSizes = 32, 32

// maxWord is what the schema of a server's fingerprint takes of a durability or an engine.
const maxWord = 64

// Result is what a report comes to, as the status holds it with where the report is stored.
func Result(told reportv1alpha1.Collected) *benchv1alpha1.Result {
	summary := told.Summary
	r := &benchv1alpha1.Result{
		Report: benchv1alpha1.ReportReference{
			ConfigMapName: told.Stored.ConfigMapName, SHA256: told.Stored.SHA256, Bytes: &told.Stored.Bytes,
		},
	}
	if told.OmittedSteps > 0 {
		r.OmittedSteps = new(int32(told.OmittedSteps))
	}
	for _, step := range summary.Steps {
		r.Steps = append(r.Steps, stepResult(step))
	}
	for _, sweep := range summary.Sweeps[:min(len(summary.Sweeps), maxSweeps)] {
		found := benchv1alpha1.SweepResult{Name: sweep.Name}
		figure.Fill(figure.Sweeps, &sweep, &found)
		r.Sweeps = append(r.Sweeps, found)
	}
	for _, checkpoint := range summary.Growth[max(0, len(summary.Growth)-maxSizes):] {
		var found benchv1alpha1.GrowthResult
		figure.Fill(figure.Sizes, &checkpoint, &found)
		r.Growth = append(r.Growth, found)
	}
	if summary.Load != nil {
		r.Load = &benchv1alpha1.LoadResult{}
		figure.Fill(figure.Loads, summary.Load, r.Load)
	}
	return r
}

// Summary is what a report comes to in few figures.
func Summary(told reportv1alpha1.Collected) *benchv1alpha1.RunSummary {
	overview := told.Overview
	r := &benchv1alpha1.RunSummary{Step: overview.Fastest.Step, P99: latency(overview.Fastest.TimesSummary)}
	figure.Fill(figure.Totals, &overview, r)
	figure.Fill(figure.Fastest, &overview.Fastest, r)
	if by := benchv1alpha1.LimitCause(overview.Fastest.LimitedBy); by != "" {
		r.LimitedBy = &by
	}
	if slowest := overview.Slowest; slowest != nil {
		r.HighestP99Step = slowest.Step
		figure.Fill(figure.Slowest, slowest, r)
	}
	return r
}

// latency is the p99 for people: an unacknowledged write has none, and of few operations there is none to tell.
func latency(all reportv1alpha1.TimesSummary) string {
	switch found := figure.P99.Shown(&all); {
	case all.Timed == 0:
		return present.Unknown
	case found == nil:
		return present.Few
	default:
		return present.Micros(*found)
	}
}

// ReadBack puts what only those who measured know of the servers beside what these said when they became ready: how
// durable the writes of the plan were, and what the engine kept its collections in.
func ReadBack(known *benchv1alpha1.ServerFingerprint, told reportv1alpha1.Collected) {
	if known == nil {
		return
	}
	if told.StorageEngine != "" {
		known.StorageEngine = condition.Cut(told.StorageEngine, maxWord)
	}
	if told.Durability != "" {
		known.Durability = condition.Cut(told.Durability, maxWord)
	}
	if told.SyncMicros != (reportv1alpha1.SyncMicros{}) {
		known.SyncP50Micros, known.SyncP99Micros = new(max(told.SyncMicros.P50, 0)), new(max(told.SyncMicros.P99, 0))
	}
}

// omitFirst leaves out the first step, and counts it; false when it is the only one.
func omitFirst(result *benchv1alpha1.Result) bool {
	if len(result.Steps) < 2 {
		return false
	}
	result.Steps = result.Steps[1:]
	result.OmittedSteps = new(ptr.Deref(result.OmittedSteps, 0) + 1)
	return true
}

// Fit leaves out what the stored report holds as well until the status is small enough, and has no more steps than it
// may have: why steps but the last were limited; the first steps, since of a sweep or a growth the last ones tell most;
// then the server's warnings, from the end; then the figures of the last step that not every run has; then entries of
// the fingerprint's lists, which no cluster fills in earnest.
func Fit(status *benchv1alpha1.BenchmarkRunStatus) {
	for tooLarge(status) && leaveOut(status) {
		continue
	}
}

// leaveOut leaves out what can be done without most easily; false when there is nothing left of that kind.
func leaveOut(status *benchv1alpha1.BenchmarkRunStatus) bool {
	return leaveOutOfResult(status.Result) || status.Duet != nil && omitLast(status.Duet) ||
		status.Server != nil && omitWarning(status.Server) ||
		status.Result != nil && len(status.Result.Steps) == 1 && strip(&status.Result.Steps[0]) ||
		status.Fingerprint != nil && forget(status.Fingerprint)
}

func leaveOutOfResult(result *benchv1alpha1.Result) bool {
	return result != nil && (shorten(result) || omitFirst(result))
}

// omitWarning leaves out the last of the server's warnings; false when there is none.
func omitWarning(server *benchv1alpha1.ServerFingerprint) bool {
	if len(server.StartupWarnings) == 0 {
		return false
	}
	server.StartupWarnings = server.StartupWarnings[:len(server.StartupWarnings)-1]
	return true
}

func tooLarge(status *benchv1alpha1.BenchmarkRunStatus) bool {
	return Size(status) > MaxStatusBytes || status.Result != nil && len(status.Result.Steps) > maxSteps
}

// Size is how many bytes a status takes as JSON.
func Size(status *benchv1alpha1.BenchmarkRunStatus) int {
	text, err := json.Marshal(status)
	if err != nil {
		return 0
	}
	return len(text)
}

func stepResult(step reportv1alpha1.StepSummary) benchv1alpha1.StepResult {
	r := benchv1alpha1.StepResult{Name: step.Name, Client: step.Client, Sent: condition.Cut(step.Sent, maxSent)}
	if step.Search != nil {
		r.Search = &benchv1alpha1.SearchResult{}
		if limit := benchv1alpha1.SearchLimit(step.Search.LimitedBy); limit != "" {
			r.Search.LimitedBy = &limit
		}
	}
	figure.Fill(figure.Steps, &step, &r)
	r.LimitedBy = stepLimit(step.LimitedBy)
	switch steady := step.Steady; {
	case steady == nil && step.NotChecked == "":
	case steady == nil:
		r.Steadiness = new(benchv1alpha1.SteadinessNotChecked)
	case steady.Reached:
		r.Steadiness = new(benchv1alpha1.SteadinessReached)
	default:
		r.Steadiness = new(benchv1alpha1.SteadinessNever)
	}
	for _, action := range step.Actions {
		r.Actions = append(r.Actions, actionResult(action))
	}
	for _, one := range step.Objectives {
		r.Objectives = append(r.Objectives, objectiveResult(one))
	}
	for i := range step.Groups {
		r.Groups = append(r.Groups, benchv1alpha1.GroupResult{Name: step.Groups[i].Name})
		figure.Fill(figure.Groups, &step.Groups[i], &r.Groups[i])
	}
	for _, operation := range step.Operations {
		r.Operations = append(r.Operations, operationResult(operation))
	}
	return r
}

// maxSent is the longest that the status takes.
const maxSent = 256

// maxActionError and maxMember are the longest that the status takes.
const (
	maxActionError = 512
	maxMember      = 253
)

func actionResult(action reportv1alpha1.Action) benchv1alpha1.ActionResult {
	r := benchv1alpha1.ActionResult{
		Name: action.Name, Member: condition.Cut(action.Member, maxMember),
		Outcome: condition.Cut(action.Outcome, maxActionError), Error: condition.Cut(action.Error, maxActionError),
	}
	figure.Fill(figure.Actions, &action, &r)
	return r
}

func objectiveResult(one reportv1alpha1.ObjectiveSummary) benchv1alpha1.ObjectiveResult {
	r := benchv1alpha1.ObjectiveResult{
		Operation: one.Operation, LimitMicros: one.LimitMicros, Outcome: benchv1alpha1.ObjectiveMissed,
		Percent:    present.PercentMillis(int64(one.PercentMillis)),
		Operations: new(max(one.Operations, 0)), WithinLimit: new(max(one.Within, 0)),
	}
	switch {
	case one.Kept:
		r.Outcome = benchv1alpha1.ObjectiveKept
	case one.Operations == 0:
		r.Outcome = benchv1alpha1.ObjectiveNotMeasured
	}
	return r
}

func operationResult(operation reportv1alpha1.OperationSummary) benchv1alpha1.OperationResult {
	r := benchv1alpha1.OperationResult{Name: operation.Name, PartOf: operation.PartOf}
	figure.Fill(figure.Operations, &operation, &r)
	for _, one := range operation.Percentiles {
		found := benchv1alpha1.PercentileResult{Percentile: present.PercentMillis(int64(one.PercentMillis))}
		if figure.CarriesPercent(one.PercentMillis, operation.Timed) {
			found.Micros = new(max(one.Micros, 0))
		}
		r.Percentiles = append(r.Percentiles, found)
	}
	return r
}

// strip leaves out of a result what a reader can do without.
func strip(step *benchv1alpha1.StepResult) bool {
	stripped := false
	for i := range step.Operations {
		stripped = figure.Drop(figure.Operations, &step.Operations[i]) || stripped
	}
	return stripped
}
