package doctor

import (
	"fmt"
	"strings"
)

// rightsOf tells for each command whether the user may do what it does.
func rightsOf(o Observation) []Finding {
	const check = "rights"
	if o.Rights.Err != nil {
		return []Finding{unseen(check, "what this user may do", o.Rights.Err)}
	}
	var findings []Finding
	lacking := map[string][]string{}
	var commands []string
	for _, right := range o.Rights.Value {
		if _, seen := lacking[right.Command]; !seen {
			commands = append(commands, right.Command)
			lacking[right.Command] = nil
		}
		if !right.Allowed {
			lacking[right.Command] = append(lacking[right.Command], right.Verb+" "+right.Resource)
		}
	}
	for _, command := range commands {
		name := check + " for " + command
		if missing := lacking[command]; len(missing) > 0 {
			findings = append(findings, fail(name, fmt.Sprintf(
				"let an administrator bind the cluster's role edit in namespace %s, to which the chart adds these", o.Namespace),
				"this user may not %s", strings.Join(missing, ", ")))
			continue
		}
		findings = append(findings, ok(name, "this user may do all of it in namespace %s", o.Namespace))
	}
	return findings
}
