package result

import (
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const hundred = 100

// Imbalance is by how much, in percent and rounded up, the shard that has most of a collection's data is above the mean
// of all shards that any size is of. It is 0 without shards, and for a collection without data.
func Imbalance(sizes []reportv1.CollectionSize, collection string) int {
	shares := sharesOf(sizes, collection)
	var most, total int64
	for _, share := range shares {
		most = max(most, share.bytes)
		total += share.bytes
	}
	if total == 0 {
		return 0
	}
	above := most*int64(len(shares)) - total
	return int((above*hundred + total - 1) / total)
}

// share is what a shard has of a collection.
type share struct {
	shard string
	bytes int64
}

func sharesOf(sizes []reportv1.CollectionSize, collection string) []share {
	var shares []share
	for _, size := range sizes {
		at := slices.IndexFunc(shares, func(s share) bool { return s.shard == size.Shard })
		if at < 0 {
			at = len(shares)
			shares = append(shares, share{shard: size.Shard})
		}
		if size.Collection == collection {
			shares[at].bytes += size.DataBytes
		}
	}
	return shares
}

// imbalances are the doubt about uneven shards, if there is any.
func imbalances(steps []reportv1.Step) []Doubt {
	found := imbalance(steps)
	if found.severity == 0 {
		return nil
	}
	return []Doubt{{Reason: benchv1alpha1.ReasonImbalance, Message: found.message}}
}

// imbalance finds a collection whose shares of the shards differ by more than was allowed at the end of a Balance.
func imbalance(steps []reportv1.Step) doubtful {
	var worst doubtful
	for _, step := range steps {
		excess := step.ImbalancePercent - step.MaxImbalancePercent
		if step.Kind != reportv1.KindBalance || excess <= 0 || int64(excess) <= worst.severity {
			continue
		}
		collection, shares := unevenCollection(step)
		worst = doubtful{int64(excess), fmt.Sprintf("step %q: the fullest shard has %d %% more than the mean of "+
			"collection %q (%s), and %d %% are allowed; choose a shard key, split points or initial chunks that spread "+
			"it, let the balancer work, or allow more (maxImbalancePercent)",
			step.Name, step.ImbalancePercent, collection, shares, step.MaxImbalancePercent)}
	}
	return worst
}

// unevenCollection is the one that a Balance's imbalance is of, with each shard's share of it.
func unevenCollection(step reportv1.Step) (collection, shares string) {
	for _, size := range step.Sizes {
		if Imbalance(step.Sizes, size.Collection) == step.ImbalancePercent {
			collection = size.Collection
			break
		}
	}
	found := sharesOf(step.Sizes, collection)
	var total int64
	for _, s := range found {
		total += s.bytes
	}
	parts := make([]string, len(found))
	for i, s := range found {
		parts[i] = fmt.Sprintf("%s %d %%", s.shard, s.bytes*hundred/max(total, 1))
	}
	return collection, strings.Join(parts, ", ")
}
