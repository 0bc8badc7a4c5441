package queue

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/mongobench/mongobench-operator/internal/present"
)

// NodePool is what people are told of the nodes of a selector.
func NodePool(selector map[string]string) string {
	if len(selector) == 0 {
		return "the pool of all nodes"
	}
	return fmt.Sprintf("node pool %q", labels.Set(selector).String())
}

// Position is where one is that waits, in words; empty of one that is not in a line. Of other namespaces it tells no
// more than that they take turns.
func (t Turn) Position() string {
	where := " in line for " + t.Group + ", where namespaces take turns"
	switch {
	case t.Group == "" || t.Admitted:
		return ""
	case !t.Exact:
		return fmt.Sprintf("no more than %d of its namespace come first", t.Ahead) + where
	case t.Ahead == 0:
		return "the next of its namespace" + where + t.busy()
	case t.Ahead == 1:
		return "1 of its namespace comes first" + where + t.busy()
	default:
		return fmt.Sprintf("%d of its namespace come first", t.Ahead) + where + t.busy()
	}
}

// mostNamed is how many of those that hold places a message names, of each kind.
const mostNamed = 3

// busy says who holds places.
func (t Turn) busy() string {
	var said []string
	if len(t.Measured) > 0 {
		said = append(said, "measured now: "+names(t.Measured))
	}
	if len(t.Deployed) > 0 {
		said = append(said, "deployed now: "+names(t.Deployed))
	}
	if t.Others {
		said = append(said, "other namespaces hold places now")
	}
	if len(said) == 0 {
		return ""
	}
	return "; " + strings.Join(said, "; ")
}

func names(of []types.NamespacedName) string {
	all := make([]string, 0, len(of))
	for _, name := range slices.All(of) {
		all = append(all, name.String())
	}
	return strings.Join(present.First(all, mostNamed, "and %d more"), ", ")
}
