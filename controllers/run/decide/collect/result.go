package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/act"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Collection is what the load pods' reports come to. They are added one after the other, so that no more than two are
// held in memory at a time.
type Collection struct {
	merged *reportv1alpha1.Report
	// faults say which reports are missing, or cannot be read or merged, and lost are the indexes of their pods.
	faults []string
	lost   []int
	added  int
}

// Add merges one load pod's report into the collection. None is nil.
func (c *Collection) Add(name string, encoded []byte) {
	pod := c.added
	c.added++
	if len(encoded) == 0 {
		c.faults, c.lost = append(c.faults, fmt.Sprintf("ConfigMap %s holds no report", name)), append(c.lost, pod)
		return
	}
	merged, err := reportv1alpha1.Decode(encoded)
	if err == nil && c.merged != nil {
		merged, err = result.Merge([]reportv1alpha1.Report{*c.merged, merged})
	}
	if err != nil {
		c.faults, c.lost = append(c.faults, fmt.Sprintf("ConfigMap %s: %v", name, err)), append(c.lost, pod)
		return
	}
	c.merged = &merged
}

// Reports is what there is of the reports of a run.
type Reports struct {
	Run *benchv1alpha1.BenchmarkRun
	// PlanHash is that of the plan which they must be of.
	PlanHash string
	// Stored is the ConfigMap of the merged report, or nil; Collection is what was read of it otherwise.
	Stored     *corev1.ConfigMap
	Collection *Collection
	// Actions may have failed without the load pods knowing.
	Actions *act.Actions
	// Cause is why the run ends before its plan; then the reports that there are make a partial one. Empty: all must be
	// there.
	Cause string
}

// Outcome is how far the reports of a run have come.
type Outcome struct {
	// Store is the ConfigMap to be written; nil when it is there or cannot be made yet.
	Store *corev1.ConfigMap
	// Report is what was read back from it, and Digest its SHA-256.
	Report *reportv1alpha1.Report
	Digest string
	// Faults say why there is no complete report.
	Faults []string
}

// Outcome takes the reports to the stored one. The result is read from what was stored and not from what was merged,
// so that a restarted manager, which finds the stored report alone, comes to the same.
func (r Reports) Outcome() Outcome {
	faulty := func(faults ...string) Outcome { return Outcome{Faults: faults} }
	switch {
	case r.Stored != nil:
		stored, digest, err := readReport(r.Stored, r.PlanHash)
		if err != nil {
			return faulty(err.Error())
		}
		return Outcome{Report: stored, Digest: digest}
	case r.Collection == nil:
		return faulty("the reports have not been read")
	case len(r.Collection.faults) > 0 && (r.Cause == "" || r.Collection.merged == nil):
		return faulty(r.Collection.faults...)
	case r.Collection.merged == nil:
		return faulty("there is no report")
	case r.Collection.merged.PlanHash != r.PlanHash:
		return faulty("the reports are of another plan, " + r.Collection.merged.PlanHash)
	}
	merged := r.Collection.partial(r.Cause)
	if server := r.Run.Status.Server; server != nil {
		merged.Server.CPULimitMillis = ptr.Deref(server.CPULimitMillis, 0)
	}
	r.Actions.Fail(&merged)
	store, err := reportConfigMap(r.Run, merged)
	if err != nil {
		return faulty(err.Error())
	}
	return Outcome{Store: store}
}

// partial is the merged report, which says what is missing when the run ends for a cause.
func (c *Collection) partial(cause string) reportv1alpha1.Report {
	merged := *c.merged
	if cause == "" {
		return merged
	}
	said := reportv1alpha1.Partial{Cause: reportv1alpha1.PartialPodLost, Message: cause}
	if merged.Partial != nil {
		said = *merged.Partial
	}
	if said.Cause == reportv1alpha1.PartialInterrupted {
		// The pods know only that they were told to end.
		said.Message = cause
	}
	said.MissingPods = c.lost
	merged.Partial = &said
	return merged
}

// reportConfigMap is the whole result of a run, which stays when everything else goes.
func reportConfigMap(run *benchv1alpha1.BenchmarkRun, merged reportv1alpha1.Report) (*corev1.ConfigMap, error) {
	encoded, err := result.Encode(merged)
	if err != nil {
		return nil, fmt.Errorf("encoding the merged report: %w", err)
	}
	return &corev1.ConfigMap{
		ObjectMeta: desired.OfRun(run, naming.ReportConfigMap(run.Name), naming.ComponentReport),
		Data:       map[string]string{naming.ReportDigestKey: digest(encoded)},
		BinaryData: map[string][]byte{reportv1alpha1.ReportKey: encoded},
	}, nil
}

// readReport reads a stored report back, and refuses one that is not what was written, or of another plan.
func readReport(configMap *corev1.ConfigMap, planHash string) (*reportv1alpha1.Report, string, error) {
	encoded := configMap.BinaryData[reportv1alpha1.ReportKey]
	sum := digest(encoded)
	if sum != configMap.Data[naming.ReportDigestKey] {
		return nil, "", fmt.Errorf("ConfigMap %s does not hold what its %s says", configMap.Name, naming.ReportDigestKey)
	}
	stored, err := reportv1alpha1.Decode(encoded)
	if err != nil {
		return nil, "", fmt.Errorf("ConfigMap %s: %w", configMap.Name, err)
	}
	if stored.PlanHash != planHash {
		return nil, "", fmt.Errorf("ConfigMap %s holds the report of another plan, %s", configMap.Name, stored.PlanHash)
	}
	return &stored, sum, nil
}

func digest(encoded []byte) string {
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}

// MaxStatusBytes is the most that the status of a run may take as JSON: lists of hundreds of runs stay readable.
const MaxStatusBytes = 16 << 10

// maxSteps is how many steps the status of a run holds. A growth may have more.
const maxSteps = 32

// maxWord is what the schema of a server's fingerprint takes of a durability or an engine.
const maxWord = 64

// Result is the summary of the stored report of a run, as the status holds it with the digest of what is stored.
func Result(run string, report reportv1alpha1.Report, digest string) (*benchv1alpha1.Result, error) {
	summary, err := result.Summarise(report)
	if err != nil {
		return nil, err
	}
	if len(summary.Steps) == 0 {
		return nil, fmt.Errorf("the report of run %s holds no measured step", run)
	}
	last := summary.Steps[len(summary.Steps)-1].Overall
	r := &benchv1alpha1.Result{
		P99:    latency(last),
		Report: benchv1alpha1.ReportReference{ConfigMapName: naming.ReportConfigMap(run), SHA256: digest},
	}
	figure.Fill(figure.Runs, &last, r)
	for _, step := range summary.Steps {
		r.Steps = append(r.Steps, stepResult(step))
	}
	for _, sweep := range summary.Sweeps {
		found := benchv1alpha1.SweepResult{Name: sweep.Name}
		figure.Fill(figure.Sweeps, &sweep, &found)
		r.Sweeps = append(r.Sweeps, found)
	}
	for _, checkpoint := range summary.Growth {
		var found benchv1alpha1.GrowthResult
		figure.Fill(figure.Sizes, &checkpoint, &found)
		r.Growth = append(r.Growth, found)
	}
	if summary.Load != nil {
		r.Load = &benchv1alpha1.LoadResult{}
		figure.Fill(figure.Loads, summary.Load, r.Load)
	}
	return r, nil
}

// latency is the p99 for people: an unacknowledged write has none, and of few operations there is none to tell.
func latency(all reportv1alpha1.OperationSummary) string {
	percentile := figure.Percentiles[slices.IndexFunc(figure.Percentiles, func(t figure.Time) bool {
		return t.Name == "P99Micros"
	})]
	switch found := percentile.Shown(&all.TimesSummary); {
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
func ReadBack(known *benchv1alpha1.ServerFingerprint, measured reportv1alpha1.Server) {
	if known == nil {
		return
	}
	if measured.StorageEngine != "" {
		known.StorageEngine = condition.Cut(measured.StorageEngine, maxWord)
	}
	if measured.Durability != "" {
		known.Durability = condition.Cut(measured.Durability, maxWord)
	}
	if measured.SyncMicros != (reportv1alpha1.SyncMicros{}) {
		known.SyncP50Micros, known.SyncP99Micros = new(measured.SyncMicros.P50), new(measured.SyncMicros.P99)
	}
}

// omitFirst leaves out the first step, and counts it.
func omitFirst(result *benchv1alpha1.Result) {
	result.Steps = result.Steps[1:]
	result.OmittedSteps = new(ptr.Deref(result.OmittedSteps, 0) + 1)
}

// Fit leaves out what the stored report holds as well until the status is small enough, and has no more steps than it
// may have: the first steps, since the last one is what the short figures tell of; then the server's warnings, from the
// end; then the figures of the last step that not every run has; then entries of the fingerprint's lists, which no
// cluster fills in earnest.
func Fit(status *benchv1alpha1.BenchmarkRunStatus) {
	for tooLarge(status) {
		switch {
		case status.Result != nil && len(status.Result.Steps) > 1:
			omitFirst(status.Result)
		case status.Server != nil && len(status.Server.StartupWarnings) > 0:
			warnings := status.Server.StartupWarnings
			status.Server.StartupWarnings = warnings[:len(warnings)-1]
		case status.Result != nil && len(status.Result.Steps) == 1 && strip(&status.Result.Steps[0]):
		case status.Fingerprint != nil && forget(status.Fingerprint):
		default:
			return
		}
	}
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
		Error: condition.Cut(action.Error, maxActionError),
	}
	figure.Fill(figure.Actions, &action, &r)
	return r
}

func operationResult(operation reportv1alpha1.OperationSummary) benchv1alpha1.OperationResult {
	r := benchv1alpha1.OperationResult{Name: operation.Name}
	figure.Fill(figure.Operations, &operation, &r)
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
