package result

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Collection is what the load pods' reports come to. They are added one after the other, so that no more than two are
// held in memory at a time.
type Collection struct {
	merged *reportv1.Report
	// faults say which reports are missing, or cannot be read or merged, and lost are the indexes of their pods.
	faults []string
	lost   []int
	added  int
}

// Add merges the encoded report of one load pod into the collection; the name says where it lies, or whose it is. None
// is nil.
func (c *Collection) Add(name string, encoded []byte) {
	pod := c.added
	c.added++
	err := c.merge(encoded)
	if err != nil {
		c.faults, c.lost = append(c.faults, fmt.Sprintf("%s: %v", name, err)), append(c.lost, pod)
	}
}

func (c *Collection) merge(encoded []byte) error {
	if len(encoded) == 0 {
		return errors.New("it holds no report")
	}
	report, err := reportv1.Decode(encoded)
	if err != nil {
		return err
	}
	if c.merged != nil {
		if report, err = Merge([]reportv1.Report{*c.merged, report}); err != nil {
			return err
		}
	}
	c.merged = &report
	return nil
}

// Report is the merged report of a run with this plan, with what the operator knows of it. When the order gives a cause
// for which the run ends, it is made of the reports that there are; otherwise all must be there.
func (c *Collection) Report(planHash string, order reportv1.CollectOrder) (reportv1.Report, error) {
	switch {
	case len(c.faults) > 0 && (order.Cause == "" || c.merged == nil):
		return reportv1.Report{}, errors.New(strings.Join(c.faults, "; "))
	case c.merged == nil:
		return reportv1.Report{}, errors.New("there is no report")
	case c.merged.PlanHash != planHash:
		return reportv1.Report{}, fmt.Errorf("the reports are of another plan, %s", c.merged.PlanHash)
	}
	merged := c.partial(order.Cause)
	if order.CPULimitMillicores > 0 {
		merged.Server.CPULimitMillicores = order.CPULimitMillicores
	}
	merged.OperatorDoubts, merged.OperatorRemarks = order.Doubts, order.Remarks
	for _, undone := range order.Undone {
		Fail(&merged, undone.Step, undone.Action, undone.Why)
	}
	return merged, nil
}

// partial is the merged report, which says what is missing when the run ends for a cause.
func (c *Collection) partial(cause string) reportv1.Report {
	merged := *c.merged
	if cause == "" {
		return merged
	}
	said := reportv1.Partial{Cause: reportv1.PartialPodLost, Message: cause}
	if merged.Partial != nil {
		said = *merged.Partial
	}
	if said.Cause == reportv1.PartialInterrupted {
		// The pods know only that they were told to end.
		said.Message = cause
	}
	said.MissingPods = c.lost
	merged.Partial = &said
	return merged
}

// Collected is what the operator is told of a report that was stored.
func Collected(report reportv1.Report, stored reportv1.Stored) (reportv1.Collected, error) {
	summary, err := Summarise(report)
	if err != nil {
		return reportv1.Collected{}, err
	}
	if len(summary.Steps) == 0 {
		return reportv1.Collected{}, errors.New("the report holds no measured step")
	}
	doubts, err := Doubts(report)
	if err != nil {
		return reportv1.Collected{}, err
	}
	return reportv1.Collected{
		Version: reportv1.Version, PlanHash: report.PlanHash, Stored: stored, Partial: report.Partial,
		Overview: overview(summary), Summary: summary, Doubts: doubts, Remarks: Remarks(report),
		StorageEngine: report.Server.StorageEngine,
		Durability:    report.Server.Durability, SyncMicros: report.Server.SyncMicros, Conditions: conditions(report),
		Duet: collectedDuet(report.Duet),
	}, nil
}

// conditions are those under which the load of a report was sent.
func conditions(report reportv1.Report) reportv1.Conditions {
	found := reportv1.Conditions{
		LoadgenVersion:    report.LoadgenVersion,
		FilesHash:         report.FilesHash,
		RoundTripMicros:   RoundTripMicros(report),
		ClockSpreadMicros: ClockSpreadMicros(report),
		StealPercent:      StealPercent(report),
		ThrottledPercent:  ThrottledPercent(report),
	}
	for _, step := range report.Steps {
		if step.Kind == reportv1.KindSurvey {
			summed := summariseFound(step)
			found.FoundDocuments = &summed.Documents
			if summed.DataBytes > 0 {
				found.FoundBytes = &summed.DataBytes
			}
		}
		if step.Kind == reportv1.KindMeasure && step.Client != "" {
			found.Clients = append(found.Clients, strings.TrimSuffix(step.Client+": "+step.Sent, ": "))
		}
		found.Processors = max(found.Processors, step.Generator.Processors)
	}
	for _, machine := range report.Machines {
		found.CPUModels = append(found.CPUModels, machine.CPUModel)
		found.KernelSettings = append(found.KernelSettings, Settings(machine))
	}
	for _, texts := range []*[]string{&found.Clients, &found.CPUModels, &found.KernelSettings} {
		slices.Sort(*texts)
		*texts = slices.Compact(*texts)
	}
	return found
}

// Digest is by what a stored report is known.
func Digest(encoded []byte) string {
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}

// EncodeCollected writes what the operator is told, in MaxCollectedBytes at most. What the operator can do without is
// left out, since the report has all of it: of each step the round trips to all servers but the farthest, which is the
// one that a status has, and why other causes than the first were seen; then, until it fits, why steps but the last
// were limited, the first steps, and lists and texts that no honest report fills.
func EncodeCollected(collected reportv1.Collected) ([]byte, error) {
	shorten(&collected)
	for {
		encoded, err := reportv1.EncodeCollected(collected)
		if err != nil {
			return nil, err
		}
		if _, err = reportv1.DecodeCollected(encoded); err == nil {
			return encoded, nil
		}
		if !leaveOut(&collected) {
			return nil, fmt.Errorf("what was collected does not fit, with all left out that may be: %w", err)
		}
	}
}

// The most that is told of what is listed; more is in the report.
const (
	maxTold     = 64
	maxToldText = 4 << 10
)

// shorten cuts the lists and texts of which a report may have any number and length.
func shorten(c *reportv1.Collected) {
	c.Summary.Steps = slices.Clone(c.Summary.Steps)
	for i := range c.Summary.Steps {
		if step := &c.Summary.Steps[i]; len(step.Pings) > 1 {
			step.Pings = []reportv1.Ping{*reportv1.Farthest(step.Pings)}
		}
		c.Summary.Steps[i].LimitedBy = namesAfter(c.Summary.Steps[i].LimitedBy, 1)
	}
	for _, texts := range []*[]string{
		&c.Remarks, &c.Conditions.Clients, &c.Conditions.CPUModels, &c.Conditions.KernelSettings,
	} {
		*texts = slices.Clone((*texts)[:min(len(*texts), maxTold)])
		for i := range *texts {
			(*texts)[i] = cut((*texts)[i])
		}
	}
	c.Doubts = slices.Clone(c.Doubts[:min(len(c.Doubts), maxTold)])
	for i := range c.Doubts {
		c.Doubts[i].Message = cut(c.Doubts[i].Message)
	}
	if c.Partial != nil {
		partial := *c.Partial
		partial.Message = cut(partial.Message)
		partial.MissingPods = partial.MissingPods[:min(len(partial.MissingPods), maxTold)]
		c.Partial = &partial
	}
	c.Failed = cut(c.Failed)
}

// cut is a text of limited length.
func cut(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxToldText)], "") }

// leaveOut makes what the operator is told smaller, and is false when nothing is left that could be left out.
func leaveOut(c *reportv1.Collected) bool {
	summary := &c.Summary
	switch {
	case forgetWhy(summary.Steps):
	case len(summary.Steps) > 1:
		summary.Steps = summary.Steps[1:]
		c.OmittedSteps++
	case len(summary.Growth) > 1:
		summary.Growth = summary.Growth[1:]
	case len(summary.Sweeps) > 0:
		summary.Sweeps = summary.Sweeps[1:]
	case len(summary.Steps) == 1 && len(summary.Steps[0].Pings) > 0:
		summary.Steps[0].Pings = nil
	case len(c.Remarks) > 0:
		c.Remarks = nil
	case len(summary.Steps) == 1 && len(summary.Steps[0].Operations) > 0:
		summary.Steps[0].Operations = summary.Steps[0].Operations[1:]
	default:
		return false
	}
	return true
}
