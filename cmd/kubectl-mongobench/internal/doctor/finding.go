package doctor

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Level says how grave a finding is.
type Level string

// The levels.
const (
	// OK is as it should be.
	OK Level = "ok"
	// Warn is what may spoil a result or keep some runs from starting, and all that could not be seen.
	Warn Level = "warn"
	// Fail is what no run gets past.
	Fail Level = "fail"
)

// Finding is what one check came to.
type Finding struct {
	Check string `json:"check"`
	Level Level  `json:"level"`
	// Found is what there is, and Do what to do about it; empty when there is nothing to be done.
	Found string `json:"found"`
	Do    string `json:"do,omitempty"`
}

// Failed says whether any of them is a Fail.
func Failed(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Level == Fail })
}

func ok(check, format string, arguments ...any) Finding {
	return Finding{Check: check, Level: OK, Found: fmt.Sprintf(format, arguments...)}
}

func warn(check, do, format string, arguments ...any) Finding {
	return Finding{Check: check, Level: Warn, Found: fmt.Sprintf(format, arguments...), Do: do}
}

func fail(check, do, format string, arguments ...any) Finding {
	return Finding{Check: check, Level: Fail, Found: fmt.Sprintf(format, arguments...), Do: do}
}

// unseen is what could not be read.
func unseen(check, what string, err error) Finding {
	if apierrors.IsForbidden(err) {
		return warn(check, "ask for the right to list them, or ask someone who has it to check",
			"unknown: %s may not be listed by this user", what)
	}
	return warn(check, "try again", "unknown: reading %s: %v", what, err)
}

// policy is a kind of object by which a namespace keeps pods out.
type policy[T any] struct {
	check, kind string
	examine     func(check string, found *T) Finding
}

// named is a pointer to an object with a name.
type named[T any] interface {
	*T
	GetName() string
}

// policies has a finding for each object of the kind, and one when there is none or they could not be read.
func policies[T any, P named[T]](p policy[T], namespace string, all Read[[]T]) []Finding {
	if all.Err != nil {
		return []Finding{unseen(p.check, "the "+p.kind+"s of namespace "+namespace, all.Err)}
	}
	if len(all.Value) == 0 {
		return []Finding{ok(p.check, "namespace %s has no %s", namespace, p.kind)}
	}
	found := make([]Finding, 0, len(all.Value))
	for i := range all.Value {
		object := &all.Value[i]
		found = append(found, p.examine(p.check+" "+P(object).GetName(), object))
	}
	return found
}
