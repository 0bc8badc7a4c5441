package observe

import (
	"strings"
	"testing"
)

func TestPressedSaysWhatAServerIsBusyWith(t *testing.T) {
	for name, tc := range map[string]struct {
		values map[string]int64
		want   string
	}{
		"a server that tells nothing": {nil, ""},
		"a quiet server": {
			map[string]int64{"cache.used": 94, "cache.dirty": 19, "cache.maximum": 100, largestLag: 5000}, "",
		},
		"a full cache": {
			map[string]int64{"cache.used": 95, "cache.maximum": 100}, "has filled 95 % of its cache",
		},
		"a dirty cache": {
			map[string]int64{"cache.used": 50, "cache.dirty": 20, "cache.maximum": 100}, "has 20 % of its cache dirty",
		},
		"a secondary that lags": {map[string]int64{largestLag: 5001}, "has a secondary that is 5.001s behind"},
		"InnoDB with a dirty cache": {
			map[string]int64{
				"cache.used": 100, "cache.dirty": 80, "cache.maximum": 100, "checkpoint.age": 74, "checkpoint.maximumAge": 100,
			}, "",
		},
		"InnoDB with an old page": {
			map[string]int64{"checkpoint.age": 75, "checkpoint.maximumAge": 100}, "75 % of its redo log",
		},
	} {
		t.Run(name, func(t *testing.T) {
			latest := Latest{Member: "a:1", values: make([]int64, len(figures))}
			for i := range latest.values {
				latest.values[i] = unknown
			}
			for figure, value := range tc.values {
				latest.values[places[figure]] = value
			}
			if got := latest.pressed(); got != tc.want && (tc.want == "" || !strings.Contains(got, tc.want)) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
