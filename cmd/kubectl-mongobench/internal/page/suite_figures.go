package page

import (
	"math"
	"strconv"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/statistics"
)

// SuiteFigure is one figure over all variants.
type SuiteFigure struct {
	comparison.Key

	// GrowthOf is the step as it is declared, and Documents how many were loaded until then, of a figure that each
	// checkpoint of a growth has.
	GrowthOf  string `json:"growthOf,omitempty"`
	Documents int64  `json:"documents,omitempty"`
	// Unit of the values, for people.
	Unit string `json:"unit"`
	// Variants has one entry a variant.
	Variants []SuiteValues `json:"variants"`
}

// SuiteValues are one figure of one variant.
type SuiteValues struct {
	// Values of the runs, in their order; nil where a run has none.
	Values []*int64 `json:"values"`
	// Median over the runs; nil when none has the figure.
	Median     *int64 `json:"median,omitempty"`
	MedianText string `json:"medianText,omitempty"`
	// Low and High bound the median with the confidence of ConfidenceText, which is what was asked, or less where there
	// are too few runs. They are nil for less than two.
	Low            *int64 `json:"low,omitempty"`
	High           *int64 `json:"high,omitempty"`
	IntervalText   string `json:"intervalText,omitempty"`
	ConfidenceText string `json:"confidenceText,omitempty"`
}

// GrowsWith says whether another figure is the same at another checkpoint, or this one.
func (f SuiteFigure) GrowsWith(other SuiteFigure) bool {
	return f.GrowthOf != "" && f.GrowthOf == other.GrowthOf && f.Metric == other.Metric && f.Operation == other.Operation
}

func suiteFigures(sides []comparison.Side, by comparison.Settings) []SuiteFigure {
	figures := []SuiteFigure{}
	checkpoints := show.Checkpoints(sides)
	places := map[comparison.Key]int{}
	for at, side := range sides {
		for run, sample := range side.Samples {
			for _, figure := range sample.Figures {
				place, ok := places[figure.Key]
				if !ok {
					place = len(figures)
					places[figure.Key] = place
					figures = append(figures, emptyFigure(figure.Key, sides))
				}
				figures[place].Variants[at].Values[run] = new(figure.Value)
			}
		}
	}
	for i := range figures {
		checkpoint := checkpoints[figures[i].Step]
		figures[i].GrowthOf, figures[i].Documents = checkpoint.Step, checkpoint.Documents
		threshold := by.ThresholdFor(figures[i].Key)
		for at := range figures[i].Variants {
			figures[i].Variants[at].summarise(figures[i].Metric, float64(*threshold.ConfidencePercent)/100)
		}
	}
	return figures
}

func emptyFigure(key comparison.Key, sides []comparison.Side) SuiteFigure {
	figure := SuiteFigure{Key: key, Unit: unitOf(key.Metric), Variants: make([]SuiteValues, len(sides))}
	for at, side := range sides {
		figure.Variants[at].Values = make([]*int64, len(side.Samples))
	}
	return figure
}

// summarise fills in the median and its interval, which is asked for with a confidence.
func (v *SuiteValues) summarise(metric benchv1alpha1.Metric, confidence float64) {
	var found []float64
	for _, value := range v.Values {
		if value != nil {
			found = append(found, float64(*value))
		}
	}
	if len(found) == 0 {
		return
	}
	v.Median = new(whole(statistics.Median(found)))
	v.MedianText = show.Quantity(metric, v.Median)
	interval, err := statistics.MedianInterval(found, confidence)
	// Of one run the interval is the run, with a confidence of nothing.
	if err != nil || len(found) < 2 {
		return
	}
	v.Low, v.High = new(whole(interval.Low)), new(whole(interval.High))
	v.IntervalText = show.Quantity(metric, v.Low) + " to " + show.Quantity(metric, v.High)
	v.ConfidenceText = confidenceText(interval.Confidence)
}

// confidenceText is rounded down: no interval is sold for more than it is.
func confidenceText(confidence float64) string {
	const rounding = 1e-9
	return strconv.FormatFloat(math.Floor(confidence*1000+rounding)/10, 'f', -1, 64) + " %"
}

// unitOf the values of a metric. A metric of another release has none.
func unitOf(metric benchv1alpha1.Metric) string {
	switch metric {
	case benchv1alpha1.MetricOperationsPerSecond:
		return "operations/s"
	case benchv1alpha1.MetricLoadDocumentsPerSecond:
		return "documents/s"
	case benchv1alpha1.MetricErrorsPerMillion:
		return "errors per million"
	case benchv1alpha1.MetricStorageBytes, benchv1alpha1.MetricIndexBytes:
		return "bytes"
	default:
		if strings.HasSuffix(string(metric), "Micros") {
			return "µs"
		}
		return ""
	}
}
