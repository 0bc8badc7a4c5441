package estimate

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Write writes an estimate for people.
func Write(to io.Writer, estimate Estimate) error {
	text := &present.Document{}
	for i := range estimate.Runs {
		writeRun(text, &estimate.Runs[i], estimate.Reference)
	}
	for i := range estimate.Suites {
		writeSuite(text, &estimate.Suites[i], estimate.Reference)
	}
	return text.Write(to)
}

func writeRun(text *present.Document, run *Run, reference *Reference) {
	text.Heading("run/%s", run.Name)
	text.Space()
	text.Table(podTable(run.Pods))
	text.Space()
	var facts present.Facts
	for _, c := range run.Dataset {
		facts.Add("dataset", collectionText(c))
	}
	addTime(&facts, run.Time, reference)
	addLoadMemory(&facts, run)
	for _, warning := range run.Warnings {
		facts.Add("warning", warning)
	}
	addEnd(&facts, run.NotCounted, run.Fits)
	text.Facts(facts)
}

func writeSuite(text *present.Document, suite *Suite, reference *Reference) {
	text.Heading("suite/%s: %s runs, %d at a time", suite.Name, present.Count(int64(suite.Runs)), suite.Parallelism)
	text.Space()
	variants := present.NewTable([]string{"VARIANT"}, "RUNS", "PODS", "CPU", "MEMORY", "VOLUMES", "DOCUMENTS",
		"EACH AT LEAST")
	var facts present.Facts
	addTime(&facts, Time{LeastSeconds: suite.LeastSeconds, Load: suite.Load, Rest: suite.Rest}, reference)
	most := &Run{}
	for i := range suite.Variants {
		variant := &suite.Variants[i]
		requests, _, volumes := total(variant.Pods)
		_, bytes := sizeOf(variant.Dataset)
		variants.Add(variant.Name, strconv.Itoa(variant.Repetitions), strconv.FormatInt(requests.Pods, 10),
			capacity.Cores(requests.CPUMillis), capacity.Memory(requests.MemoryBytes), present.Bytes(volumes),
			present.Bytes(bytes), seconds(variant.Time.LeastSeconds))
		if i == 0 || variant.LoadMemoryBytes > most.LoadMemoryBytes {
			most = &variant.Run
		}
		for _, warning := range variant.Warnings {
			facts.Add("warning", "variant "+variant.Name+": "+warning)
		}
	}
	addLoadMemory(&facts, most)
	facts.Add("reports", fmt.Sprintf("%s at most, usually far less; of all revisions they may take %s (historySizeLimit)",
		present.Bytes(suite.MostReportBytes), present.Bytes(suite.HistorySizeLimit)))
	addEnd(&facts, suite.NotCounted, suite.Fits)
	text.Table(*variants)
	text.Heading("at once, at most")
	text.Space()
	text.Table(podTable(suite.Pods))
	text.Space()
	text.Facts(facts)
}

func podTable(all []Pods) present.Table {
	table := present.NewTable([]string{"PART"}, "PODS", "CPU", "LIMIT", "MEMORY", "LIMIT")
	table.Columns = append(table.Columns, present.Columns("VOLUME")...)
	add := func(part string, count int64, requests, limits capacity.Amount, volume string) {
		table.Add(part, strconv.FormatInt(count, 10), capacity.Cores(requests.CPUMillis), capacity.Cores(limits.CPUMillis),
			capacity.Memory(requests.MemoryBytes), capacity.Memory(limits.MemoryBytes), volume)
	}
	for _, pods := range all {
		volume := present.Unknown
		if pods.Volume != nil {
			volume = present.Bytes(pods.Volume.Bytes) + " " + string(pods.Volume.Medium)
		}
		add(pods.Part, int64(pods.Count), pods.Requests, pods.Limits, volume)
	}
	requests, limits, volumes := total(all)
	add("together", requests.Pods, requests, limits, present.Bytes(volumes))
	return *table
}

func collectionText(c Collection) string {
	if c.Documents == 0 {
		return c.Name + ": begins empty"
	}
	return fmt.Sprintf("%s: %s documents of %s bytes, the mean of %s, are %s before compression", c.Name,
		present.Count(c.Documents), present.Count(c.DocumentBytes), present.Count(c.Sampled), present.Bytes(c.Bytes))
}

// addTime adds the times; one that cannot be known is said to be unknown.
func addTime(facts *present.Facts, times Time, reference *Reference) {
	steps := make([]string, 0, len(times.Steps))
	for _, step := range times.Steps {
		least := step.Name + " " + seconds(step.LeastSeconds)
		if step.Open {
			least += " and more"
		}
		steps = append(steps, least)
	}
	measuring := "at least " + seconds(times.LeastSeconds)
	if len(steps) > 0 {
		measuring += ": " + strings.Join(steps, ", ")
	}
	const unknown = "unknown: no finished run of the namespace is known that loaded anything"
	load, rest := unknown, unknown
	if times.Load != nil {
		load = span(*times.Load)
	}
	if reference != nil {
		load += fmt.Sprintf(", with %s documents or %s a second, as run %s loaded",
			present.Count(reference.DocumentsPerSecond),
			present.Bytes(reference.DocumentsPerSecond*reference.DocumentBytes), reference.Run)
	}
	if times.Rest != nil {
		rest = span(*times.Rest) + ", provisioning, collecting and cleaning up"
	}
	facts.Add("measuring", measuring)
	facts.Add("load", load)
	facts.Add("besides", rest)
}

// addLoadMemory says how much of their limit the load pods of a run need.
func addLoadMemory(facts *present.Facts, run *Run) {
	if len(run.Pods) == 0 {
		return
	}
	limit := run.Pods[len(run.Pods)-1].Limits.MemoryBytes // The load pods come last.
	facts.Add("load pods", fmt.Sprintf("each takes up to %s of its memory of %s, and what the replies take",
		capacity.Memory(run.LoadMemoryBytes), capacity.Memory(limit)))
}

func addEnd(facts *present.Facts, left []string, fits *Fit) {
	for _, what := range left {
		facts.Add("not counted", what)
	}
	if fits != nil {
		facts.Add("fits", string(fits.Answer)+": "+fits.Why)
	}
}

func span(s Span) string {
	low, high := seconds(s.LowSeconds), seconds(s.HighSeconds)
	if low == high {
		return "about " + low
	}
	return low + " to " + high
}

func seconds(n float64) string {
	if n > 0 && n < 1 {
		return "less than 1s"
	}
	return duration.HumanDuration(time.Duration(n * float64(time.Second)).Round(time.Second))
}
