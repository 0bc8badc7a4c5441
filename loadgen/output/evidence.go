package output

import (
	"fmt"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// addPlans tells how the servers carry out the operations of a step.
func addPlans(facts *present.Facts, explained []reportv1.Explained) {
	for _, one := range explained {
		facts.Add("plan", planText(one))
	}
}

func planText(one reportv1.Explained) string {
	var of string
	if one.Operation != "" {
		of = one.Operation + ": "
	}
	if one.Part > 0 {
		of = fmt.Sprintf("%s, part %d: ", one.Operation, one.Part)
	}
	if one.Stages == "" {
		return of + "not known, " + strings.TrimSuffix(one.Missing, ".")
	}
	return of + one.Stages + examinedText(one.Examined)
}

func examinedText(took *reportv1.Examined) string {
	if took == nil {
		return ""
	}
	return fmt.Sprintf("; %s and %s examined, %s found", present.Plural(took.Keys, "key"),
		present.Plural(took.Documents, "document"), present.Count(took.Found))
}

// addSlow tells which commands the servers logged as slow.
func addSlow(facts *present.Facts, slow []reportv1.SlowCommands) {
	for _, one := range slow {
		of := ""
		if one.Member != "" {
			of = one.Member + ": "
		}
		if one.Missing != "" {
			facts.Add("slow", of+"not known, "+one.Missing)
		}
		if one.Logged == 0 {
			continue
		}
		from := ""
		if one.LogFromMillis > 0 {
			from = fmt.Sprintf(" after the first %s, of which its log has nothing left", present.Millis(one.LogFromMillis))
		}
		facts.Add("slow", of+present.Plural(int64(one.Logged), "slow command")+from)
		for _, command := range one.Slowest {
			facts.Add("slow", of+slowText(command))
		}
	}
}

func slowText(command reportv1.SlowCommand) string {
	text := fmt.Sprintf("%s, %d times up to %s", command.Namespace, command.Count, present.Millis(command.DurationMillis))
	if command.Count == 1 {
		text = command.Namespace + ", once, " + present.Millis(command.DurationMillis)
	}
	text += ": " + command.Shape
	if command.Plan != "" {
		text += "; " + command.Plan
	}
	return text + examinedText(command.Examined)
}

// addRecall says of approximate operations how much of the exact answers they had.
func addRecall(facts *present.Facts, operations []reportv1.Operation) {
	for _, operation := range operations {
		if operation.Recall != nil {
			facts.Add("recall", operation.Name+": "+recallText(operation.Recall))
		}
	}
}

func recallText(recall *reportv1.Recall) string {
	known := "not known"
	if found := recall.PerMillion(); found != nil {
		known = fmt.Sprintf("%s, %s of %s", present.Ratio(*found), present.Count(recall.Found),
			present.Plural(recall.Exact, "document"))
	}
	text := fmt.Sprintf("%s in the exact answers to %s", known, present.Plural(recall.Compared, "request"))
	if recall.Missing != "" {
		text += fmt.Sprintf(" of %s: %s", present.Count(recall.Wanted), recall.Missing)
	}
	return text
}
