package measure

import (
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// A worker whose operations have all failed for this long, and this many times, gives up: the database is gone or
// refuses what the workload asks, and a measurement of that would only look like one.
const (
	giveUpAfter    = time.Minute
	giveUpFailures = 3
)

// ErrOutage is the error of a worker that gives up.
var ErrOutage = errors.New("had nothing but failures")

// Failures are those of a worker since its last success.
type Failures struct {
	number int
	// since is when the first of them was sent.
	since time.Time
}

// Add counts what became of an operation. The error is why the worker is to give up.
func (f *Failures) Add(failure error, sent, replied time.Time) error {
	if failure == nil {
		f.number = 0
		return nil
	}
	if f.number == 0 {
		f.since = sent
	}
	f.number++
	failing := replied.Sub(f.since)
	if f.number < giveUpFailures || failing < giveUpAfter {
		return nil
	}
	return fmt.Errorf("%w for %s, %d of them; the last: %w", ErrOutage, failing.Round(time.Second), f.number, failure)
}

// NothingSucceeded is the error of a step in which no operation succeeded and some failed: it has measured nothing.
func NothingSucceeded(operations []reportv1.Operation) error {
	var succeeded int64
	var failure error
	for _, operation := range operations {
		if operation.PartOf == "" {
			succeeded += operation.Count
		}
		for _, class := range operation.ErrorClasses {
			failure = errors.Join(failure, fmt.Errorf("operation %q failed %d times (%s), first: %s",
				operation.Name, class.Count, class.Class, class.FirstMessage))
		}
	}
	if succeeded == 0 && failure != nil {
		return fmt.Errorf("no operation succeeded: %w", failure)
	}
	return nil
}

// maxMessage is the longest message that is kept: a report has a budget of bytes.
const maxMessage = 500

// userInfo is the part of a connection string that holds a name and a password. A password may itself hold an @, which
// a careful writer would have escaped, so the match goes on to the last one before a white space, a quote or a slash.
var userInfo = regexp.MustCompile(`((?:mongodb(?:\+srv)?|mysql)://)[^\s/"']*@`)

// Redact returns a message without the credentials of any connection string in it, cut to a length that a report can
// hold.
func Redact(message string) string {
	return Shorten(userInfo.ReplaceAllString(message, "${1}***@"), maxMessage)
}

// maxBrief is the longest text of an error in a report.
const maxBrief = 400

// Brief is the text of an error for a report: without credentials, and cut where it is too long.
func Brief(err error) string {
	return Shorten(Redact(err.Error()), maxBrief)
}

// Shorten cuts a text after most bytes, between two characters.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "..."
}
