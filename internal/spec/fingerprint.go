package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

// datasetFormat changes when the load generator makes other documents for the same declaration: what an earlier version
// loaded is then another dataset.
const datasetFormat = "dataset.mongobench.dev/v1alpha1"

// datasetFingerprint is the SHA-256, in hexadecimal, of all that the documents and their places depend on once they are
// loaded. By how many threads, in what batches, and when the indexes were built is no part of it.
func datasetFingerprint(plan planv1.Plan) string {
	collections := slices.Clone(plan.Collections)
	for i := range collections {
		sharding := collections[i].Sharding
		if sharding == nil {
			// Where a collection will grow to decides about the split points of a sharded one, and about nothing else.
			collections[i].GrowsTo = 0
			continue
		}
		spread := *sharding
		spread.MaxImbalancePercent = 0
		collections[i].Sharding = &spread
	}
	hash := sha256.New()
	// Of these types nothing fails to be encoded, and a hash takes everything.
	_ = json.NewEncoder(hash).Encode(struct {
		Format      string              `json:"format"`
		Seed        int64               `json:"seed"`
		Database    string              `json:"database"`
		Collections []planv1.Collection `json:"collections"`
	}{datasetFormat, plan.Seed, plan.Database, collections})
	return hex.EncodeToString(hash.Sum(nil))
}
