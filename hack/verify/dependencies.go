package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

const module = "github.com/mongobench/mongobench-operator"

// barrier keeps some packages out of what others depend on, however far down. depguard sees direct imports only.
type barrier struct {
	// of holds patterns for go list, separated by spaces.
	of string
	// from are the import paths, with all below them, that must not be reached.
	from   []string
	reason string
}

// drivers are the database drivers. database/sql itself is none, and much imports its interfaces.
var drivers = []string{"go.mongodb.org/mongo-driver", "github.com/go-sql-driver", "github.com/jackc"}

var barriers = []barrier{
	{
		of:     "./cmd/manager",
		from:   append([]string{module + "/loadgen"}, drivers...),
		reason: "the manager never speaks to a database",
	},
	{
		of:     "./cmd/manager ./controllers/...",
		from:   []string{module + "/internal/spec/schema"},
		reason: "the API server has checked what the manager reads",
	},
	{
		of:     "./controllers/...",
		from:   append([]string{module + "/loadgen"}, drivers...),
		reason: "controllers and loadgen speak through api/plan and api/report",
	},
	{
		of:     "./loadgen/...",
		from:   []string{"sigs.k8s.io/controller-runtime", module + "/controllers"},
		reason: "controllers and loadgen speak through api/plan and api/report",
	},
	{
		of:     "./cmd/loadgen",
		from:   []string{"sigs.k8s.io/controller-runtime", module + "/controllers"},
		reason: "the load generator is no controller",
	},
	{
		of:     "./api/...",
		from:   []string{"sigs.k8s.io/controller-runtime", "k8s.io/client-go", module + "/controllers", module + "/loadgen"},
		reason: "the API is imported by all and imports none",
	},
	{
		of: "./internal/spec/... ./internal/product/... ./internal/suite/... ./internal/comparison/... " +
			"./internal/statistics/... ./internal/capacity/... ./internal/price/... ./internal/naming/...",
		from:   []string{"sigs.k8s.io/controller-runtime", "k8s.io/client-go", module + "/controllers", module + "/loadgen"},
		reason: "the domain lies below controllers and loadgen",
	},
	{
		of:     "./controllers/.../decide/...",
		from:   []string{"sigs.k8s.io/controller-runtime", "k8s.io/client-go"},
		reason: "decide is pure",
	},
}

// imports maps each package that a pattern matches (the roots) or depends on to its direct imports.
type imports struct {
	roots  []string
	direct map[string][]string
}

// checkDependencies reports every forbidden package that is reached, with the shortest way there.
func checkDependencies(
	ctx context.Context, list func(ctx context.Context, pattern string) (imports, error), found report,
) error {
	for _, b := range barriers {
		graph, err := list(ctx, b.of)
		if err != nil {
			return err
		}
		if len(graph.roots) == 0 {
			found(b.of, "matches no package, so that nothing was checked; mend the barrier")
		}
		for _, forbidden := range b.from {
			if way := graph.wayTo(forbidden); way != nil {
				found(b.of, "%s, but: %s", b.reason, strings.Join(way, " -> "))
			}
		}
	}
	return nil
}

// wayTo returns the shortest chain of imports from a root to the package or one below it, nil when there is none.
func (g imports) wayTo(forbidden string) []string {
	cameFrom := make(map[string]string)
	queue := slices.Clone(g.roots)
	for _, root := range g.roots {
		cameFrom[root] = ""
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at == forbidden || strings.HasPrefix(at, forbidden+"/") {
			return chain(cameFrom, at)
		}
		for _, next := range g.direct[at] {
			if _, seen := cameFrom[next]; !seen {
				cameFrom[next] = at
				queue = append(queue, next)
			}
		}
	}
	return nil
}

func chain(cameFrom map[string]string, end string) []string {
	var way []string
	for at := end; at != ""; at = cameFrom[at] {
		way = append(way, at)
	}
	slices.Reverse(way)
	return way
}

// importsOf asks the go command.
func importsOf(ctx context.Context, pattern string) (imports, error) {
	// -e makes a missing folder a match without imports in place of an error, which the caller reports.
	format := `{{if not .Error}}{{if not .DepOnly}}root {{end}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{end}}`
	out, err := exec.CommandContext(ctx, "go", slices.Concat(
		[]string{"list", "-e", "-deps", "-f", format}, strings.Fields(pattern))...).Output()
	if err != nil {
		return imports{}, fmt.Errorf("listing what %s depends on: %w%s", pattern, err, stderrOf(err))
	}
	graph := imports{direct: make(map[string][]string)}
	for line := range bytes.Lines(out) {
		words := strings.Fields(string(line))
		if len(words) == 0 {
			continue
		}
		if words[0] == "root" {
			words = words[1:]
			graph.roots = append(graph.roots, words[0])
		}
		graph.direct[words[0]] = words[1:]
	}
	return graph, nil
}

func stderrOf(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "\n" + string(bytes.TrimSpace(exit.Stderr))
	}
	return ""
}
