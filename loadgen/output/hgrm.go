package output

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

const (
	// plotScale is what a value is divided by in a .hgrm file: HdrHistogram's plotter takes them for milliseconds.
	plotScale = 1000
	// plotTicks is how many lines there are from a percentile halfway to 100, as the Java library's own default.
	plotTicks = 5
)

// Plot is a histogram as HdrHistogram's plotter reads it, for a file of its own.
type Plot struct {
	// Name of the file: step, operation and, for times other than the latency, which, with .hgrm at its end.
	Name      string
	histogram *hdrhistogram.Histogram
}

// Write writes the distribution by percentiles, in milliseconds.
func (p Plot) Write(to io.Writer) error {
	return WritePercentiles(to, p.histogram)
}

// Plots are those of a report: of each operation of each Measure step the latency and, where they were measured, the
// service time beside a response time, the time to the first document, and the latency of failures alone.
func Plots(report reportv1.Report) ([]Plot, error) {
	var plots []Plot
	for _, step := range report.Steps {
		if step.Kind != reportv1.KindMeasure {
			continue
		}
		for _, operation := range step.Operations {
			more, err := plotsOf(operation, step.Name+"."+operation.Name)
			if err != nil {
				return nil, fmt.Errorf("step %q, operation %q: %w", step.Name, operation.Name, err)
			}
			plots = append(plots, more...)
		}
	}
	return plots, nil
}

func plotsOf(operation reportv1.Operation, name string) ([]Plot, error) {
	times, err := result.TimesOf(operation)
	if err != nil {
		return nil, err
	}
	service := times.Service
	if !times.Open {
		service = reportv1.NewHistogram()
	}
	var plots []Plot
	for _, one := range []struct {
		suffix    string
		histogram *hdrhistogram.Histogram
	}{
		{"", times.Latency},
		{".service", service},
		{".first-document", times.First},
		{".database", times.Database},
		{".failed", times.Failed},
	} {
		if one.histogram.TotalCount() > 0 {
			plots = append(plots, Plot{fileName(name+one.suffix) + ".hgrm", one.histogram})
		}
	}
	return plots, nil
}

// fileName leaves of a name what every file system takes.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, name)
}

// WritePercentiles writes a histogram of microseconds as the Java library's outputPercentileDistribution does, in
// milliseconds. (The Go library's PercentilesPrint has too few digits for high percentiles.)
func WritePercentiles(to io.Writer, histogram *hdrhistogram.Histogram) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)")
	writeLevels(&text, histogram)
	digits := histogram.SignificantFigures()
	half := bits.Len64(uint64(2*math.Pow10(int(digits))) - 1)
	buckets := 1 + max(0, bits.Len64(uint64(histogram.HighestTrackableValue()))-half)
	fmt.Fprintf(&text, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", histogram.Mean()/plotScale,
		histogram.StdDev()/plotScale)
	fmt.Fprintf(&text, "#[Max     = %12.3f, Total count    = %12d]\n", float64(histogram.Max())/plotScale,
		histogram.TotalCount())
	fmt.Fprintf(&text, "#[Buckets = %12d, SubBuckets     = %12d]\n", buckets, 1<<half)
	_, err := io.WriteString(to, text.String())
	return err
}

// writeLevels writes a line for each percentile at which the plotter wants a point. A value that many percentiles have
// in common has a line for each.
func writeLevels(text *strings.Builder, histogram *hdrhistogram.Histogram) {
	all := histogram.TotalCount()
	var seen int64
	level := 0.0
	for _, bar := range histogram.Distribution() {
		if bar.Count == 0 {
			continue
		}
		seen += bar.Count
		value := float64(bar.To) / plotScale
		for 100*float64(seen)/float64(all) >= level {
			fmt.Fprintf(text, "%12.3f %2.12f %10d %14.2f\n", value, halfUp(level/100, 12), seen, halfUp(1/(1-level/100), 2))
			level = nextLevel(level)
			if seen == all {
				break
			}
		}
		if seen == all {
			fmt.Fprintf(text, "%12.3f %2.12f %10d\n", value, 1.0, seen)
			return
		}
	}
}

// nextLevel is the percentile of the next line: the steps become half as wide whenever half of the way from there to
// 100 is done.
func nextLevel(level float64) float64 {
	halvings := math.Trunc(math.Log(100/(100-level))/math.Log(2)) + 1
	return level + 100/(plotTicks*math.Pow(2, halvings))
}

// halfUp rounds what lies in the middle away from zero, as Java does, where Go would round it to the even digit.
func halfUp(number float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Floor(number*scale+0.5) / scale
}
