package observe

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestMovesOfTheChangeLog(t *testing.T) {
	tests := map[string]struct {
		batch bson.A
		want  map[string]int64
	}{
		"no moves are none": {bson.A{}, map[string]int64{"moves.done": 0, "moves.failed": 0, "moves.step4": 0}},
		"moves and their steps are added up": {
			bson.A{bson.D{
				{Key: "moves", Value: 7}, {Key: "succeeded", Value: 5}, {Key: "step1", Value: 3}, {Key: "step6", Value: int64(9)},
			}},
			map[string]int64{"moves.done": 5, "moves.failed": 2, "moves.step1": 3, "moves.step2": 0, "moves.step6": 9},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSample()
			s.decodeMoves(mustMarshal(bson.D{{Key: "cursor", Value: bson.D{{Key: "firstBatch", Value: tc.batch}}}}))
			for figure, want := range tc.want {
				if got := s.values[places[figure]]; got != want {
					t.Errorf("%s is %d, want %d", figure, got, want)
				}
			}
		})
	}
}
