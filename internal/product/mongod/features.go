package mongod

import (
	"fmt"
	"slices"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

// Feature is something of a collection that not every release has.
type Feature struct {
	// Field is the path below the collection in a run's specification, such as "options.timeSeries".
	Field string
	// Since is the first release that has it.
	Since Release
}

// Missing says why a release does not have a feature.
func (f Feature) Missing(release Release) string {
	return fmt.Sprintf("needs MongoDB %s or later, and this is %s", f.Since, release)
}

// Lacks are the features of a collection and its indexes that a release does not have.
func (r Release) Lacks(collection planv1.Collection) []Feature {
	features := slices.DeleteFunc(collectionFeatures(collection), r.has)
	for i, index := range collection.Indexes {
		for _, feature := range append(r.LacksIndex(index), r.lacksOnSeries(collection.TimeSeries, index)...) {
			feature.Field = fmt.Sprintf("indexes[%d].%s", i, feature.Field)
			features = append(features, feature)
		}
	}
	return features
}

// LacksIndex are the features of an index that a release does not have, with fields below the index.
func (r Release) LacksIndex(index planv1.Index) []Feature {
	return slices.DeleteFunc(indexFeatures(index), r.has)
}

// lacksOnSeries are the features of an index of a time series that a release does not have.
func (r Release) lacksOnSeries(series *planv1.TimeSeriesOptions, index planv1.Index) []Feature {
	if series == nil {
		return nil
	}
	measured := slices.ContainsFunc(index.Keys, func(key planv1.IndexKey) bool {
		top, _, _ := strings.Cut(key.Field, ".")
		return top != series.TimeField && (series.MetaField == nil || top != *series.MetaField)
	})
	return slices.DeleteFunc(those(
		feature{index.PartialFilter != "", Feature{"partialFilter", Release{6, 0}}},
		feature{measured, Feature{"keys", Release{6, 0}}},
	), r.has)
}

func (r Release) has(feature Feature) bool { return r.AtLeast(feature.Since) }

// feature is one that is there or not.
type feature struct {
	there bool
	Feature
}

func those(all ...feature) []Feature {
	features := make([]Feature, 0, len(all))
	for _, one := range all {
		if one.there {
			features = append(features, one.Feature)
		}
	}
	return features
}

// collectionFeatures are those of a collection besides its indexes.
func collectionFeatures(c planv1.Collection) []Feature {
	spans := c.TimeSeries != nil && c.TimeSeries.BucketMaxSpanSeconds != nil
	return those(
		feature{c.Validator != nil, Feature{"options.validator", Release{3, 2}}},
		feature{c.Collation != nil, Feature{"options.collation", Release{3, 4}}},
		feature{c.View != nil, Feature{"view", Release{3, 4}}},
		feature{c.TimeSeries != nil, Feature{"options.timeSeries", Release{5, 0}}},
		feature{c.Clustered != nil, Feature{"options.clustered", Release{5, 3}}},
		feature{c.PreAndPostImages, Feature{"options.changeStreamPreAndPostImages", Release{6, 0}}},
		feature{spans, Feature{"options.timeSeries.bucketMaxSpanSeconds", Release{6, 3}}},
	)
}

func indexFeatures(index planv1.Index) []Feature {
	wildcard := slices.ContainsFunc(index.Keys, func(key planv1.IndexKey) bool {
		return strings.HasSuffix(key.Field, "$**") && key.Order != planv1.OrderText
	})
	return those(
		feature{index.PartialFilter != "", Feature{"partialFilter", Release{3, 2}}},
		feature{index.Collation != nil, Feature{"collation", Release{3, 4}}},
		feature{wildcard && len(index.Keys) == 1, Feature{"keys", Release{4, 2}}},
		feature{wildcard && len(index.Keys) > 1, Feature{"keys", Release{7, 0}}},
		feature{index.Hidden, Feature{"properties", Release{4, 4}}},
	)
}
