package explain

import (
	"context"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// execution is how long a server may carry out a plan. The driver tells it to the server.
const execution = time.Second

// The verbosities of explain.
const (
	executionStats = "executionStats"
	queryPlanner   = "queryPlanner"
)

// Request asks a deployment how it carries out a request of a step whose operations the builder knows.
func Request(
	ctx context.Context, db *driver.Database, builder *command.Builder, request *workload.Request,
) (reportv1.Explained, error) {
	asked := commandOf(builder, request)
	if asked == nil {
		return reportv1.Explained{}, loadgen.ErrNoPlan
	}
	read := builder.Terms(request).Read
	ask := func(ctx context.Context, verbosity string) (bson.Raw, error) {
		return db.RunCommand(ctx, bson.D{{Key: "explain", Value: asked}, {Key: "verbosity", Value: verbosity}}, read).Raw()
	}
	if !writesResult(asked) {
		executing, cancel := context.WithTimeout(ctx, execution)
		reply, err := ask(executing, executionStats)
		cancel()
		if err == nil {
			return reportv1.Explained{Stages: stages(reply), Examined: examined(reply)}, nil
		}
	}
	reply, err := ask(ctx, queryPlanner)
	if err != nil {
		return reportv1.Explained{}, errorclass.WithoutSecrets(err)
	}
	return reportv1.Explained{Stages: stages(reply)}, nil
}

// explainable are the commands that servers explain.
var explainable = []string{
	"find", "aggregate", "count", "distinct", "update", "delete", "findAndModify", "findandmodify",
}

// around are elements of a command that explain does not take inside of it.
var around = []string{"writeConcern", "readConcern", "maxTimeMS", "lsid", "txnNumber"}

// commandOf is the command of a request as explain takes it; nil when it has none that can be explained.
func commandOf(builder *command.Builder, request *workload.Request) bson.D {
	var sent bson.Raw
	switch form := command.FormOf(request.Kind); {
	case request.Kind == operation.RunCommand:
		sent = request.Command
	case form.Write != nil:
		sent = form.Write(builder, request)
	default:
		return nil
	}
	elements, err := sent.Elements()
	if err != nil || len(elements) == 0 || !slices.Contains(explainable, elements[0].Key()) {
		return nil
	}
	var asked bson.D
	for _, element := range elements {
		if !slices.Contains(around, element.Key()) {
			asked = append(asked, bson.E{Key: element.Key(), Value: element.Value()})
		}
	}
	return asked
}

// writesResult says whether a command is an aggregation that writes what it finds.
func writesResult(asked bson.D) bool {
	for _, element := range asked {
		value, is := element.Value.(bson.RawValue)
		if element.Key != "pipeline" || !is {
			continue
		}
		pipeline, _ := value.ArrayOK()
		staged, err := pipeline.Values()
		if err != nil {
			return true
		}
		return slices.ContainsFunc(staged, func(stage bson.RawValue) bool {
			name := nameOf(stage)
			return name == "$out" || name == "$merge"
		})
	}
	return false
}

// nameOf is the first key of a document; empty when there is none.
func nameOf(value bson.RawValue) string {
	document, _ := value.DocumentOK()
	first, err := document.IndexErr(0)
	if err != nil {
		return ""
	}
	return first.Key()
}
