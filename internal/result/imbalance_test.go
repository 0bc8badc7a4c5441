package result_test

import (
	"strings"
	"testing"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// onShards are the sizes of a collection on shards s0, s1 and so on.
func onShards(collection string, bytes ...int64) []reportv1alpha1.CollectionSize {
	sizes := make([]reportv1alpha1.CollectionSize, len(bytes))
	for i := range bytes {
		sizes[i] = reportv1alpha1.CollectionSize{
			Collection: collection, Shard: "s" + string(rune('0'+i)), DataBytes: bytes[i],
		}
	}
	return sizes
}

func TestImbalance(t *testing.T) {
	tests := map[string]struct {
		sizes []reportv1alpha1.CollectionSize
		want  int
	}{
		"nothing is even":                          {},
		"empty shards are even":                    {onShards("c", 0, 0), 0},
		"one shard is even":                        {onShards("c", 7), 0},
		"equal shares are even":                    {onShards("c", 5, 5, 5), 0},
		"everything on one of two is twice a half": {onShards("c", 9, 0), 100},
		"everything on one of four is four times":  {onShards("c", 0, 9, 0, 0), 300},
		"a part of a percent counts as one":        {onShards("c", 1001, 1000), 1},
		"the mean is of all shards that are known": {append(onShards("c", 6, 6), onShards("d", 0, 0, 1)...), 50},
		"other collections are others":             {append(onShards("c", 5, 5), onShards("d", 0, 90)...), 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := result.Imbalance(tc.sizes, "c"); got != tc.want {
				t.Errorf("imbalance %d, want %d", got, tc.want)
			}
		})
	}
}

func TestUnevenShardsAreDoubted(t *testing.T) {
	balance := func(found, allowed int) reportv1alpha1.Report {
		return reportv1alpha1.Report{Steps: []reportv1alpha1.Step{{
			Name: "balance", Kind: "Balance", ImbalancePercent: found, MaxImbalancePercent: allowed,
			Sizes: append(onShards("even", 4, 4, 4), onShards("things", 60, 20, 20)...),
		}}}
	}
	doubts, err := result.Doubts(balance(80, 20))
	if err != nil || len(doubts) != 1 {
		t.Fatalf("doubts %+v, error %v, want one", doubts, err)
	}
	if doubts[0].Reason != benchv1alpha1.ReasonImbalance {
		t.Errorf("the reason is %s", doubts[0].Reason)
	}
	for _, want := range []string{`collection "things"`, "s0 60 %, s1 20 %, s2 20 %", "80 % more", "20 % are allowed"} {
		if !strings.Contains(doubts[0].Message, want) {
			t.Errorf("the message is %q, want %q in it", doubts[0].Message, want)
		}
	}
	if doubts, err := result.Doubts(balance(80, 80)); err != nil || len(doubts) > 0 {
		t.Errorf("doubts %+v, error %v of what is allowed", doubts, err)
	}
}
