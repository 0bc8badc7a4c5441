package schema

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
)

// NeedsRelease says whether a server has to be asked for its release before a collection is made.
func NeedsRelease(collection planv1.Collection) bool {
	return len(mongod.Release{}.Lacks(collection)) > 0
}

// Supports is the error of a collection that a release of MongoDB does not have all of.
func Supports(release mongod.Release, collection planv1.Collection) error {
	for _, feature := range release.Lacks(collection) {
		return fmt.Errorf("%s %s", feature.Field, feature.Missing(release))
	}
	return nil
}

// SupportsIndex is the error of an index that a release of MongoDB does not have.
func SupportsIndex(release mongod.Release, index planv1.Index) error {
	for _, feature := range release.LacksIndex(index) {
		return fmt.Errorf("%s %s", feature.Field, feature.Missing(release))
	}
	return nil
}

// viewCommand makes a view.
func viewCommand(name string, view planv1.View) (bson.D, error) {
	pipeline, err := parse(view.Pipeline)
	if err != nil {
		return nil, fmt.Errorf("view.pipeline: %w", err)
	}
	return bson.D{
		{Key: "create", Value: name}, {Key: "viewOn", Value: view.Source}, {Key: "pipeline", Value: pipeline},
	}, nil
}

// kindOptions make a collection that keeps its documents in an order of its own.
func kindOptions(collection planv1.Collection) bson.D {
	var terms bson.D
	if collection.CappedBytes > 0 {
		terms = append(terms, bson.E{Key: "capped", Value: true}, bson.E{Key: "size", Value: collection.CappedBytes})
		if collection.CappedDocuments > 0 {
			terms = append(terms, bson.E{Key: "max", Value: collection.CappedDocuments})
		}
	}
	expires := (*int32)(nil)
	if clustered := collection.Clustered; clustered != nil {
		byID := bson.D{{Key: "key", Value: bson.D{{Key: "_id", Value: 1}}}, {Key: "unique", Value: true}}
		terms, expires = append(terms, bson.E{Key: "clusteredIndex", Value: byID}), clustered.ExpireAfterSeconds
	}
	if series := collection.TimeSeries; series != nil {
		terms, expires = append(terms, bson.E{Key: "timeseries", Value: seriesOptions(*series)}), series.ExpireAfterSeconds
	}
	if expires != nil {
		terms = append(terms, bson.E{Key: "expireAfterSeconds", Value: int64(*expires)})
	}
	return terms
}

func seriesOptions(series planv1.TimeSeriesOptions) bson.D {
	terms := bson.D{{Key: "timeField", Value: series.TimeField}}
	if series.MetaField != nil {
		terms = append(terms, bson.E{Key: "metaField", Value: *series.MetaField})
	}
	if series.Granularity != nil {
		terms = append(terms, bson.E{Key: "granularity", Value: strings.ToLower(string(*series.Granularity))})
	}
	if span := series.BucketMaxSpanSeconds; span != nil {
		terms = append(terms, bson.E{Key: "bucketMaxSpanSeconds", Value: *span},
			bson.E{Key: "bucketRoundingSeconds", Value: *span})
	}
	return terms
}

// ruleOptions say what documents have to be, how they compare, and what is kept of their changes.
func ruleOptions(collection planv1.Collection) (bson.D, error) {
	var terms bson.D
	if collection.Collation != nil {
		terms = append(terms, bson.E{Key: "collation", Value: collation(*collection.Collation)})
	}
	if validator := collection.Validator; validator != nil {
		filter, err := parse(validator.Filter)
		if err != nil {
			return nil, fmt.Errorf("options.validator.filter: %w", err)
		}
		terms = append(terms, bson.E{Key: "validator", Value: filter})
		if validator.Level != nil {
			terms = append(terms, bson.E{Key: "validationLevel", Value: strings.ToLower(string(*validator.Level))})
		}
		if validator.Action != nil {
			terms = append(terms, bson.E{Key: "validationAction", Value: strings.ToLower(string(*validator.Action))})
		}
	}
	if collection.PreAndPostImages {
		enabled := bson.D{{Key: "enabled", Value: true}}
		terms = append(terms, bson.E{Key: "changeStreamPreAndPostImages", Value: enabled})
	}
	return terms, nil
}

// collation writes a collation as a server reads it.
func collation(declared planv1.Collation) bson.D {
	terms := bson.D{{Key: "locale", Value: declared.Locale}}
	if declared.Strength != nil {
		terms = append(terms, bson.E{Key: "strength", Value: *declared.Strength})
	}
	if declared.CaseLevel != nil {
		terms = append(terms, bson.E{Key: "caseLevel", Value: *declared.CaseLevel == benchv1alpha1.Enabled})
	}
	if declared.CaseFirst != nil {
		terms = append(terms, bson.E{Key: "caseFirst", Value: strings.ToLower(string(*declared.CaseFirst))})
	}
	if declared.NumericOrdering != nil {
		terms = append(terms, bson.E{Key: "numericOrdering", Value: *declared.NumericOrdering == benchv1alpha1.Enabled})
	}
	return terms
}

// parse reads a document of a plan.
func parse(written planv1.Document) (any, error) { return extjson.Parse(written.Text()) }
