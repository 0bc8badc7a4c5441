package sizing

import "math"

const (
	// FewestTrials is how many trials a choice is judged by at least: one says nothing of how they vary.
	FewestTrials = 2
	// MostMargin is the largest margin that counts, 1000 times inside or outside a constraint.
	MostMargin = 6.907755278982137
)

// Trial is what one trial of a choice has shown.
type Trial struct {
	// Margins by which it keeps each constraint: the logarithm of how many times the figure fits into its limit, negative
	// where it breaks it.
	Margins []float64
	// Broken says that it broke the constraints whatever was measured, as when a server did not survive it. It has no
	// Margins then.
	Broken bool
}

// Evidence is what the trials of one choice have shown.
type Evidence struct {
	Trials []Trial
	// Used is how many trials were made, with those that say nothing.
	Used int
}

// Rule is when a choice is decided.
type Rule struct {
	// Confidence of each verdict, 0 to 1 and both excluded.
	Confidence float64
	// MostTrials of one choice, FewestTrials at least.
	MostTrials int
}

// Judgement is what is known of a choice.
type Judgement struct {
	Verdict Verdict
	// Constraint is the place of the one that decides: the one that is kept by the least, in the mean. It is negative
	// without a trial that was measured.
	Constraint int
	// Margin of that constraint, in the mean, and its bounds; without two trials the bounds are infinite.
	Margin, Low, High float64
}

// Judge says what is known of each choice. A choice that keeps the constraints is called one that breaks them with a
// probability of at most 1 - Confidence over all looks, and the other way round, as far as trials vary normally and
// alike: then the mean of the margins of a constraint, less the true one, has Student's distribution with the variance
// pooled over all choices. Where a choice's own trials vary by more than that, its own variance counts.
//
//	every constraint is kept: the lower bound of each is above 0   Keeps
//	a constraint is broken: its upper bound is below 0             Breaks
//	two trials were broken whatever was measured                   Breaks
//	anything else                                                  Open, and Undecided after MostTrials
func (r Rule) Judge(all []Evidence) []Judgement {
	constraints := 0
	for _, evidence := range all {
		for _, trial := range evidence.Trials {
			constraints = max(constraints, len(trial.Margins))
		}
	}
	variances, degrees := make([]float64, constraints), make([]int, constraints)
	for k := range constraints {
		variances[k], degrees[k] = pooled(all, k)
	}
	judged := make([]Judgement, len(all))
	for i, evidence := range all {
		judged[i] = r.judge(evidence, variances, degrees)
		if judged[i].Verdict == Open && evidence.Used >= r.MostTrials {
			judged[i].Verdict = Undecided
		}
	}
	return judged
}

func (r Rule) judge(evidence Evidence, variances []float64, degrees []int) Judgement {
	found := Judgement{Constraint: -1, Low: math.Inf(-1), High: math.Inf(1)}
	keeps, breaks := true, false
	for k := range variances {
		values := marginsOf(evidence, k)
		if len(values) == 0 {
			keeps = false
			continue
		}
		mean, low, high := r.bounds(values, variances[k], degrees[k], len(variances))
		keeps, breaks = keeps && low > 0, breaks || high < 0
		if found.Constraint < 0 || mean < found.Margin {
			found.Constraint, found.Margin, found.Low, found.High = k, mean, low, high
		}
	}
	switch broken := evidence.broken(); {
	case breaks || broken >= FewestTrials:
		found.Verdict = Breaks
	case keeps && broken == 0 && found.Constraint >= 0:
		found.Verdict = Keeps
	}
	return found
}

// broken is how many trials broke the constraints whatever was measured.
func (e Evidence) broken() (count int) {
	for _, trial := range e.Trials {
		if trial.Broken {
			count++
		}
	}
	return count
}

// bounds are the mean of the margins of one of several constraints, and where the true one lies. To keep all of several
// takes each of them at the full error, to break one of them a share of it.
func (r Rule) bounds(values []float64, pooled float64, degrees, constraints int) (mean, low, high float64) {
	mean, own := moments(values)
	if len(values) < FewestTrials {
		return mean, math.Inf(-1), math.Inf(1)
	}
	deviation := math.Sqrt(max(pooled, own) / float64(len(values)))
	low = mean - studentQuantile(1-r.error(), degrees)*deviation
	high = mean + studentQuantile(1-r.error()/float64(constraints), degrees)*deviation
	return mean, low, high
}

// error is that of one look: there is one after each trial from the second on.
func (r Rule) error() float64 {
	return (1 - r.Confidence) / float64(max(1, r.MostTrials-FewestTrials+1))
}

// marginsOf one constraint are those of the trials that have it.
func marginsOf(evidence Evidence, constraint int) []float64 {
	var values []float64
	for _, trial := range evidence.Trials {
		if constraint < len(trial.Margins) {
			values = append(values, min(max(trial.Margins[constraint], -MostMargin), MostMargin))
		}
	}
	return values
}

// pooled is the variance of the margins of one constraint within the choices, and its degrees of freedom.
func pooled(all []Evidence, constraint int) (variance float64, degrees int) {
	squares := 0.0
	for _, evidence := range all {
		values := marginsOf(evidence, constraint)
		if len(values) < FewestTrials {
			continue
		}
		_, own := moments(values)
		squares += own * float64(len(values)-1)
		degrees += len(values) - 1
	}
	if degrees == 0 {
		return 0, 0
	}
	return squares / float64(degrees), degrees
}

// moments are the mean and the variance of some values; of one value the variance is 0.
func moments(values []float64) (mean, variance float64) {
	for _, value := range values {
		mean += value / float64(len(values))
	}
	if len(values) < FewestTrials {
		return mean, 0
	}
	for _, value := range values {
		variance += (value - mean) * (value - mean) / float64(len(values)-1)
	}
	return mean, variance
}

// studentQuantile is below which Student's distribution has this share, of 0.5 to 1, with a whole number of degrees of
// freedom from 1 on.
func studentQuantile(share float64, degrees int) float64 {
	low, high := 0.0, 1.0
	for studentBelow(high, degrees) < share && high < math.MaxFloat64/2 {
		high *= 2
	}
	const halvings = 80
	for range halvings {
		middle := (low + high) / 2
		if studentBelow(middle, degrees) < share {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// studentBelow is the share of Student's distribution below a positive t, by the finite series for whole degrees of
// freedom (Abramowitz and Stegun 1964, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4).
func studentBelow(t float64, degrees int) float64 {
	theta := math.Atan(t / math.Sqrt(float64(degrees)))
	sine, cosine := math.Sincos(theta)
	if degrees%2 == 0 {
		term, sum := 1.0, 1.0
		for i := 2; i < degrees; i += 2 {
			term *= cosine * cosine * float64(i-1) / float64(i)
			sum += term
		}
		return (1 + sine*sum) / 2
	}
	term, sum := sine*cosine, 0.0
	for i := 1; i < degrees; i += 2 {
		sum += term
		term *= cosine * cosine * float64(i+1) / float64(i+2)
	}
	return (1 + 2/math.Pi*(theta+sum)) / 2
}
