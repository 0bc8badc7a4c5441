package mongo

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/explain"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// asking asks about the requests of a step, as the load's user, while nothing is measured.
type asking struct {
	client *mongo.Client
	terms  *command.Terms
}

// Explain asks how a request is carried out.
func (a asking) Explain(
	ctx context.Context, use loadgen.Use, request *workload.Request,
) (reportv1.Explained, error) {
	builder, err := command.NewBuilder(a.terms, use.Step)
	if err != nil {
		return reportv1.Explained{}, err
	}
	return explain.Request(ctx, a.client.Database(use.Database), &builder, request)
}

// Answers sends an Aggregate.
func (a asking) Answers(
	ctx context.Context, use loadgen.Use, request *workload.Request,
) ([]bson.RawValue, error) {
	builder, err := command.NewBuilder(a.terms, use.Step)
	if err != nil {
		return nil, err
	}
	ids, err := lookup.IDs(ctx, a.client.Database(use.Database), builder.Aggregate(request), builder.Terms(request).Read)
	return ids, errorclass.WithoutSecrets(err)
}
