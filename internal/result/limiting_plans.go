package result

import (
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// mostScans is how many operations that read whole collections are named.
const mostScans = 3

// scansText names the operations of a step that read a collection from its beginning to its end; empty without any.
func scansText(explained []reportv1.Explained) string {
	var names []string
	for _, one := range explained {
		scans := slices.Contains(strings.Fields(one.Stages), reportv1.StageCollectionScan)
		if name := fmt.Sprintf("%q", one.Operation); scans && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	reads := "reads"
	if len(names) > 1 {
		reads = "read"
	}
	if more := len(names) - mostScans; more > 0 {
		names = append(names[:mostScans], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("; %s %s a whole collection (%s)", strings.Join(names, ", "), reads, reportv1.StageCollectionScan)
}
