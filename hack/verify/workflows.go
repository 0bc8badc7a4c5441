package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

var (
	// uses is a line that takes an action; a folder of this repository begins with a dot.
	uses = regexp.MustCompile(`^\s*(?:-\s+)?uses:\s*["']?([^.\s"'][^\s"']*)`)
	// pinned is such a line as it should be: a commit, and for people the version that it is.
	pinned = regexp.MustCompile(`^\s*(?:-\s+)?uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

// checkActions wants actions of workflows by their commit: a tag can be moved, by whoever gets hold of the action, and
// what it then runs has the rights of the workflow.
func checkActions(tree []source, found report) {
	for _, s := range tree {
		if path.Dir(s.path) != ".github/workflows" {
			continue
		}
		for number, line := range strings.Split(string(s.text), "\n") {
			if action := uses.FindStringSubmatch(line); action != nil && !pinned.MatchString(line) {
				found(fmt.Sprintf("%s:%d", s.path, number+1),
					"%s: write it as ACTION@COMMIT # VERSION, with 40 hexadecimal digits and all three numbers", action[1])
			}
		}
	}
}
