package duets

import (
	"fmt"
	"math"
	"slices"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/duet"
)

// Trial is a comparison of consecutive groups.
type Trial struct {
	// Preparation is what came before the first window of its recording.
	Preparation time.Duration
	// First is the group that it began with, and Groups how many it took.
	First, Groups int
	// Took is how long that was.
	Took time.Duration
	// Verdicts of the lines, in their order, and how long after the begin each was decided; 0 is not.
	Verdicts []benchv1alpha1.Verdict
	Decided  []time.Duration
}

// Changed says that a line was called Regressed or Improved.
func (t Trial) Changed() bool {
	return slices.ContainsFunc(t.Verdicts, func(verdict benchv1alpha1.Verdict) bool {
		return verdict == benchv1alpha1.VerdictRegressed || verdict == benchv1alpha1.VerdictImproved
	})
}

// trial is the comparison that begins with a group and ends when all lines are decided, or with the last group that is
// complete within the limit.
func (r *Recording) trial(first int, limit time.Duration) (Trial, error) {
	judge, err := duet.NewJudge(r.Operations, r.Lines, len(r.Lines))
	if err != nil {
		return Trial{}, fmt.Errorf("replaying %s: %w", r.Name, err)
	}
	begin, found := r.at(first), Trial{Preparation: r.Preparation, First: first}
	for number := first; number < len(r.Groups); number++ {
		group, err := r.Group(number)
		if err != nil {
			return Trial{}, err
		}
		group.At -= begin
		if group.At > limit && found.Groups > 0 {
			break
		}
		judge.Add(group)
		found.Groups++
		found.Took = group.At
		if judge.Decided() {
			break
		}
	}
	for _, line := range judge.Lines() {
		found.Verdicts = append(found.Verdicts, line.Verdict)
		found.Decided = append(found.Decided, time.Duration(line.DecidedMillis)*time.Millisecond)
	}
	return found, nil
}

// trials are those that have the time: next says how many groups after one the next begins.
func (r *Recording) trials(limit time.Duration, next func(Trial) int) (found []Trial, err error) {
	for first := 0; first < len(r.Groups) && r.Length()-r.at(first) >= limit; {
		one, err := r.trial(first, limit)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
		first += max(1, next(one))
	}
	return found, nil
}

// ShareChanged is how many of the trials called a line Regressed or Improved, in percent; NaN without trials.
func ShareChanged(trials []Trial) float64 {
	return share(trials, Trial.Changed)
}

// ShareRegressed is how many of the trials called this line Regressed within a time, in percent, the preparation
// included; NaN without trials.
func ShareRegressed(trials []Trial, line int, within time.Duration) float64 {
	return share(trials, func(t Trial) bool { return t.regressed(line) <= within })
}

func share(trials []Trial, is func(Trial) bool) float64 {
	if len(trials) == 0 {
		return math.NaN()
	}
	count := 0
	for _, one := range trials {
		if is(one) {
			count++
		}
	}
	return 100 * float64(count) / float64(len(trials))
}

// never is longer than anything.
const never = time.Duration(math.MaxInt64)

// regressed is how long the trial took, with its preparation, until it called the line Regressed.
func (t Trial) regressed(line int) time.Duration {
	if t.Verdicts[line] != benchv1alpha1.VerdictRegressed {
		return never
	}
	return t.Preparation + t.Decided[line]
}

// Times are how long trials took until they called a line Regressed, in minutes, the preparation included: the fastest,
// the one in the middle, the one that nine of ten were no slower than, and the slowest. One that did not is infinite;
// all are NaN without trials.
type Times struct{ Fastest, Median, NineOfTen, Slowest float64 }

// TimesOf are those of trials for a line.
func TimesOf(trials []Trial, line int) Times {
	if len(trials) == 0 {
		return Times{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	}
	all := make([]float64, 0, len(trials))
	for _, one := range trials {
		minutes := math.Inf(1)
		if took := one.regressed(line); took < never {
			minutes = took.Minutes()
		}
		all = append(all, minutes)
	}
	slices.Sort(all)
	// rank is the smallest value that this share of all is not above.
	rank := func(percent int) float64 { return all[max(0, (len(all)*percent+99)/100-1)] }
	return Times{Fastest: all[0], Median: rank(50), NineOfTen: rank(90), Slowest: all[len(all)-1]}
}

// Change is by how much a line's metric of the candidate differed from the baseline's, in percent.
type Change struct {
	// Whole is that of the whole recording, and Least and Most those of its tenths.
	Whole, Least, Most float64
}

// parts are what a recording is cut into to see how much a change differs.
const parts = 10

// Change of a line; false when there is too little to tell. Groups that were set aside are no part of it.
func (r *Recording) Change(line int) (found Change, known bool, err error) {
	of := r.Lines[line]
	operation := slices.Index(r.Operations, of.Operation)
	var whole [2]duet.Sum
	tenths := make([][2]duet.Sum, parts)
	for number := range r.Groups {
		group, err := r.Group(number)
		if err != nil {
			return found, false, err
		}
		if group.Disturbed != "" {
			continue
		}
		for side, windows := range group.Windows {
			for _, window := range windows {
				whole[side].Add(window, operation)
				tenths[number*parts/len(r.Groups)][side].Add(window, operation)
			}
		}
	}
	found.Whole, known = change(&whole, of.Metric)
	found.Least, found.Most = math.Inf(1), math.Inf(-1)
	for part := range tenths {
		if one, enough := change(&tenths[part], of.Metric); enough {
			found.Least, found.Most = min(found.Least, one), max(found.Most, one)
		}
	}
	return found, known, nil
}

// change is by how much a metric of the candidate differs from the baseline's, in percent.
func change(sides *[2]duet.Sum, metric benchv1alpha1.Metric) (float64, bool) {
	candidate, one := sides[duet.Candidate].Value(metric)
	baseline, other := sides[duet.Baseline].Value(metric)
	if !one || !other {
		return 0, false
	}
	return 100 * (candidate/baseline - 1), true
}
