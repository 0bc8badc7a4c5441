package page

import (
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// mostWindows is how many values of each side are drawn: where there are more windows, neighbours are one value.
const mostWindows = 600

// duets are how runs compare with what they were measured in turns with; nil when none was.
func duets(runs []output.Run) *Part {
	part := &Part{
		Title: "Compared with the baseline, in turns",
		Note: "The bounds hold at every instant, with the confidence that was asked for over all lines together. A line " +
			"ends where it was decided; dashed is the smallest change that matters. Shaded are windows in which the other " +
			"side did not rest: their groups are not compared.",
	}
	for _, run := range runs {
		duet, prefix := run.Report.Duet, prefix(runs, run.Name)
		if duet == nil {
			continue
		}
		table := output.Duet(duet)
		table.Caption = prefix + "the candidate, and how it differs from the baseline"
		part.Tables = append(part.Tables, table)
		for _, step := range duet.Steps {
			part.Plots = append(part.Plots, plotsOf(prefix, step)...)
		}
	}
	if len(part.Tables) == 0 {
		return nil
	}
	return part
}

// plotsOf a step are the course of each line, and the windows.
func plotsOf(prefix string, step reportv1.DuetStep) (plots []Plot) {
	for _, line := range step.Lines {
		if len(line.Course) > 0 {
			plots = append(plots, course(prefix, step, line))
		}
	}
	if len(step.Windows) > 0 {
		plots = append(plots, turns(prefix, step))
	}
	return plots
}

// course is how the bounds of a line became narrower.
func course(prefix string, step reportv1.DuetStep, line reportv1.DuetLine) Plot {
	change := PlotLine{Label: "change"}
	low, high := PlotLine{Label: "lower bound", Thin: true}, PlotLine{Label: "upper bound", Thin: true}
	for _, point := range line.Course {
		at := seconds(point.AtMillis)
		change.X, low.X, high.X = append(change.X, at), append(low.X, at), append(high.X, at)
		change.Y = append(change.Y, percent(point.EffectBasisPoints))
		low.Y, high.Y = append(low.Y, percent(point.LowBasisPoints)), append(high.Y, percent(point.HighBasisPoints))
	}
	plot := Plot{
		Title: prefix + "Step " + step.Name + ": change of " + output.LineName(line), Unit: "%", X: sinceFirstWindow,
		Timed: true, Band: true, Lines: []PlotLine{change, low, high}, Levels: []Level{{At: 0, Label: "no change"}},
		Range: rangeOf(line),
	}
	if margin := float64(line.MinEffectPercent); margin > 0 {
		plot.Levels = append(plot.Levels, Level{At: margin, Dashed: true}, Level{At: -margin, Dashed: true})
	}
	if line.DecidedMillis > 0 {
		plot.Marks = []Mark{{At: seconds(line.DecidedMillis), Kind: markAction, Label: string(line.Verdict)}}
	}
	return plot
}

// sinceFirstWindow is the name of the axis of what is drawn of a duet.
const sinceFirstWindow = "since the first window"

// rangeOf is what is seen of the changes of a line. The first bounds are so wide that nothing else would be seen beside
// them: they are cut where three margins and half as much as the last ones are seen as well.
func rangeOf(line reportv1.DuetLine) *[2]float64 {
	margin := 1.5 * max(float64(line.MinEffectPercent), 1)
	seen := [2]float64{-margin, margin}
	for _, point := range line.Course[len(line.Course)/4:] {
		seen[0], seen[1] = min(seen[0], percent(point.LowBasisPoints)), max(seen[1], percent(point.HighBasisPoints))
	}
	last := line.Course[len(line.Course)-1]
	width := percent(last.HighBasisPoints - last.LowBasisPoints)
	most := 2*margin + 1.5*width
	middle := percent(last.EffectBasisPoints)
	seen[0], seen[1] = max(seen[0], min(-margin, middle-most)), min(seen[1], max(margin, middle+most))
	return &seen
}

// turns are the throughputs of the windows of both sides.
func turns(prefix string, step reportv1.DuetStep) Plot {
	plot := Plot{
		Title: prefix + "Step " + step.Name + ": throughput of the windows", Unit: "operations/s", X: sinceFirstWindow,
		Timed: true,
	}
	joined := factor(len(step.Windows), 2*mostWindows)
	for _, side := range []string{reportv1.SideCandidate, reportv1.SideBaseline} {
		line := PlotLine{Label: side}
		of := slices.DeleteFunc(slices.Clone(step.Windows), func(w reportv1.DuetWindow) bool { return w.Side != side })
		for part := range slices.Chunk(of, joined) {
			replies := int64(0)
			for _, window := range part {
				replies += window.Replies
			}
			line.X = append(line.X, seconds(part[0].AtMillis))
			line.Y = append(line.Y, rounded(float64(replies)/seconds(int64(len(part))*max(step.WindowMillis, 1))))
		}
		plot.Lines = append(plot.Lines, line)
	}
	var disturbed []stretch
	for _, window := range step.Windows {
		if window.Disturbed != "" {
			disturbed = append(disturbed, stretch{seconds(window.AtMillis), seconds(window.AtMillis + step.WindowMillis)})
		}
	}
	plot.Marks = joinedMarks(disturbed, markCheckpoint, "the other side did not rest")
	return plot
}

func seconds(millis int64) float64 { return float64(millis) / 1000 }

// percent of hundredths of a percent.
func percent(basisPoints int64) float64 { return float64(basisPoints) / 100 }
