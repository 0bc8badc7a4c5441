package result

import (
	"fmt"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
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
		found := entry(&shares, share{shard: size.Shard}, func(s share) string { return s.shard })
		if size.Collection == collection {
			found.bytes += size.DataBytes
		}
	}
	return shares
}

// imbalance doubts a Balance at whose end the shards' shares of a collection differed by more than was allowed.
func imbalance(step judged) doubtful {
	excess := step.ImbalancePercent - step.MaxImbalancePercent
	if excess <= 0 {
		return doubtful{}
	}
	collection, shares := unevenCollection(step.Step)
	return doubtful{int64(excess), fmt.Sprintf("step %q: the fullest shard has %d %% more than the mean of "+
		"collection %q (%s), and %d %% are allowed; choose a shard key, split points or initial chunks that spread "+
		"it, let the balancer work, or allow more (maxImbalancePercent)",
		step.Name, step.ImbalancePercent, collection, shares, step.MaxImbalancePercent)}
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
