package sharding

import (
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

func TestWhatCannotBeShardedIsRefused(t *testing.T) {
	ascending := planv1.IndexKey{Field: "a", Order: "1"}
	hashed := planv1.IndexKey{Field: "b", Order: hashedOrder}
	tests := map[string]struct {
		collection planv1.Collection
		sharding   planv1.Sharding
		server     mongod.Release
		want       string
	}{
		"a capped collection": {
			collection: planv1.Collection{CappedBytes: 1}, sharding: planv1.Sharding{Key: []planv1.IndexKey{ascending}},
			want: "capped",
		},
		"a time series": {
			collection: planv1.Collection{TimeSeries: &planv1.TimeSeriesOptions{}},
			sharding:   planv1.Sharding{Key: []planv1.IndexKey{ascending}}, want: "a time-series collection is not sharded",
		},
		"a collation": {
			collection: planv1.Collection{Collation: &planv1.Collation{Locale: "de"}},
			sharding:   planv1.Sharding{Key: []planv1.IndexKey{ascending}}, want: "a collation is not sharded",
		},
		"a compound hashed key before 4.4": {
			sharding: planv1.Sharding{Key: []planv1.IndexKey{ascending, hashed}}, server: mongod.Release{Major: 4, Minor: 2},
			want: "needs MongoDB 4.4, and this is 4.2",
		},
		"a number of chunks of a range": {
			sharding: planv1.Sharding{Key: []planv1.IndexKey{ascending, hashed}, InitialChunks: 4},
			want:     "first field is Hashed",
		},
		"a number of chunks besides zones": {
			sharding: planv1.Sharding{
				Key: []planv1.IndexKey{hashed}, InitialChunks: 4, Zones: []planv1.Zone{{Name: "z", Shards: []int{0}}},
			},
			want: "leave out initialChunks",
		},
		"a zone that begins within a range": {
			sharding: planv1.Sharding{
				Key: []planv1.IndexKey{ascending}, SplitPoints: []string{"5"},
				Zones: []planv1.Zone{{Name: "z", Shards: []int{0}, Min: "4"}},
			},
			want: `zone "z" does not begin and end at split points`,
		},
		"a split point that is no value": {
			sharding: planv1.Sharding{Key: []planv1.IndexKey{ascending}, SplitPoints: []string{"1", "{"}},
			want:     "split point 2: reading JSON",
		},
		"a bound of a zone that is no value": {
			sharding: planv1.Sharding{
				Key: []planv1.IndexKey{ascending}, Zones: []planv1.Zone{{Name: "z", Shards: []int{0}, Max: "x"}},
			},
			want: `zone "z": max: reading JSON`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.collection.Sharding = &tc.sharding
			if tc.server.Major == 0 {
				tc.server = mongod.Release{Major: 6}
			}
			_, err := newLayout(tc.collection, []string{"s0", "s1"}, tc.server)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestWrongChunksAreTold(t *testing.T) {
	shards := []string{"s0", "s1"}
	tests := map[string]struct {
		layout layout
		chunks map[string]int
		want   string
	}{
		"as asked for": {layout{wanted: map[string]int{"s0": 2, "s1": 1}}, map[string]int{"s0": 2, "s1": 1}, ""},
		"one on the other shard": {
			layout{wanted: map[string]int{"s0": 2, "s1": 1}}, map[string]int{"s0": 1, "s1": 2}, "1 chunks on shard s0",
		},
		"as even as can be":        {layout{even: true, total: 3}, map[string]int{"s0": 2, "s1": 1}, ""},
		"uneven":                   {layout{even: true}, map[string]int{"s0": 4, "s1": 1}, "1 chunks on one shard and 4"},
		"too few":                  {layout{even: true, total: 8}, map[string]int{"s0": 2, "s1": 2}, "was to have 8"},
		"none":                     {layout{}, nil, "without chunks"},
		"what the server chose is": {layout{}, map[string]int{"s1": 7}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := tc.layout.check(tc.chunks, shards)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestANumberOfChunksIsNotExpectedOfServersThatIgnoreIt(t *testing.T) {
	collection := planv1.Collection{Sharding: &planv1.Sharding{
		Key: []planv1.IndexKey{{Field: "b", Order: hashedOrder}}, InitialChunks: 8,
	}}
	for server, want := range map[mongod.Release]int{{Major: 7}: 8, {Major: 7, Minor: 2}: 0, {Major: 8}: 0} {
		l, err := newLayout(collection, []string{"s0", "s1"}, server)
		if err != nil || l.total != want || !l.even {
			t.Errorf("of %s %d chunks are expected, error %v; want %d", server, l.total, err, want)
		}
	}
}

func TestTheBalancersWindow(t *testing.T) {
	tests := map[string]struct {
		clock, start, stop string
		want               bool
	}{
		"no window is always":               {"12:00", "", "", true},
		"within":                            {"12:00", "11:30", "13:00", true},
		"it begins at its start":            {"11:30", "11:30", "13:00", true},
		"and ends at its stop":              {"13:00", "11:30", "13:00", false},
		"before":                            {"11:29", "11:30", "13:00", false},
		"one over midnight, before it":      {"23:30", "23:00", "05:00", true},
		"one over midnight, after it":       {"04:59", "23:00", "05:00", true},
		"one over midnight, during the day": {"12:00", "23:00", "05:00", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := inWindow(tc.clock, tc.start, tc.stop); got != tc.want {
				t.Errorf("open is %t, want %t", got, tc.want)
			}
		})
	}
}

func TestChunksThatABalancerIsContentWith(t *testing.T) {
	tests := map[string]struct {
		first, second int
		want          bool
	}{
		"none":                         {0, 0, true},
		"a few that differ by one":     {9, 10, true},
		"a few that differ by two":     {8, 10, false},
		"some that differ by three":    {30, 33, true},
		"some that differ by four":     {30, 34, false},
		"many that differ by seven":    {60, 67, true},
		"many that differ by eight":    {60, 68, false},
		"everything on the first of 2": {3, 0, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			chunks := map[string]int{"s0": tc.first, "s1": tc.second}
			if got := evenChunks(chunks, []string{"s0", "s1"}); got != tc.want {
				t.Errorf("even is %t, want %t", got, tc.want)
			}
		})
	}
}
