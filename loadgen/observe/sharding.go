package observe

import (
	"fmt"
	"regexp"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// balancerStatusCommand is for a mongos or a config server.
var balancerStatusCommand = mustMarshal(bson.D{{Key: "balancerStatus", Value: 1}})

// chunksCommand counts the chunks of a database's collections by shard. Up to 4.4 a chunk names its collection, later
// the collection's UUID.
func chunksCommand(database string) bson.Raw {
	ofCollection := bson.D{{Key: "$expr", Value: bson.D{{Key: "$or", Value: bson.A{
		bson.D{{Key: "$eq", Value: bson.A{"$ns", "$$ns"}}},
		bson.D{{Key: "$eq", Value: bson.A{"$uuid", "$$uuid"}}},
	}}}}}
	one := bson.D{{Key: "$sum", Value: 1}}
	return mustMarshal(bson.D{
		{Key: "aggregate", Value: "collections"},
		{Key: "pipeline", Value: bson.A{
			bson.D{{Key: "$match", Value: bson.D{
				{Key: "_id", Value: bson.Regex{Pattern: "^" + regexp.QuoteMeta(database) + "\\."}},
				{Key: "dropped", Value: bson.D{{Key: "$ne", Value: true}}},
			}}},
			bson.D{{Key: "$lookup", Value: bson.D{
				{Key: "from", Value: "chunks"},
				// A collection without a UUID must not match the chunks that have none either.
				{Key: "let", Value: bson.D{
					{Key: "ns", Value: "$_id"},
					{Key: "uuid", Value: bson.D{{Key: "$ifNull", Value: bson.A{"$uuid", "none"}}}},
				}},
				{Key: "pipeline", Value: bson.A{
					bson.D{{Key: "$match", Value: ofCollection}},
					bson.D{{Key: "$group", Value: bson.D{{Key: "_id", Value: "$shard"}, {Key: "chunks", Value: one}}}},
				}},
				{Key: "as", Value: "on"},
			}}},
			bson.D{{Key: "$unwind", Value: "$on"}},
			bson.D{{Key: "$group", Value: bson.D{
				{Key: "_id", Value: "$on._id"},
				{Key: "chunks", Value: bson.D{{Key: "$sum", Value: "$on.chunks"}}},
			}}},
		}},
		{Key: "cursor", Value: bson.D{}},
	})
}

// moveSteps is how many steps a shard divides the giving away of a chunk into.
const moveSteps = 6

// movesCommand adds up what the change log says of the moves of a database's chunks since a time of the server's clock.
func movesCommand(database string, since int64) bson.Raw {
	succeeded := bson.D{{Key: "$eq", Value: bson.A{"$details.note", "success"}}}
	sums := bson.D{
		{Key: "_id", Value: nil},
		{Key: movesKey, Value: bson.D{{Key: "$sum", Value: 1}}},
		{Key: succeededKey, Value: bson.D{{Key: "$sum", Value: bson.D{{Key: "$cond", Value: bson.A{succeeded, 1, 0}}}}}},
	}
	for step := 1; step <= moveSteps; step++ {
		sums = append(sums, bson.E{Key: "step" + strconv.Itoa(step), Value: bson.D{
			{Key: "$sum", Value: fmt.Sprintf("$details.step %d of %d", step, moveSteps)},
		}})
	}
	return mustMarshal(bson.D{
		{Key: "aggregate", Value: "changelog"},
		{Key: "pipeline", Value: bson.A{
			bson.D{{Key: "$match", Value: bson.D{
				{Key: "what", Value: "moveChunk.from"},
				{Key: "ns", Value: bson.Regex{Pattern: "^" + regexp.QuoteMeta(database) + "\\."}},
				{Key: "time", Value: bson.D{{Key: "$gte", Value: bson.DateTime(since)}}},
			}}},
			bson.D{{Key: "$group", Value: sums}},
		}},
		{Key: "cursor", Value: bson.D{}},
	})
}

// The sums of movesCommand besides those of the steps.
const (
	movesKey     = "moves"
	succeededKey = "succeeded"
)

// decodeMoves takes what was added up. Without any move there is no sum.
func (s *sample) decodeMoves(document bson.Raw) {
	sums, _ := document.Lookup("cursor", "firstBatch", "0").DocumentOK()
	number := func(name string) int64 {
		found, _ := sums.Lookup(name).AsInt64OK()
		return found
	}
	s.values[places[movesDone]] = number(succeededKey)
	s.values[places[movesFailed]] = number(movesKey) - number(succeededKey)
	for step := 1; step <= moveSteps; step++ {
		name := strconv.Itoa(step)
		s.values[places[moveStep+name]] = number("step" + name)
	}
}

// decodeBalancer takes whether the balancer is on, and how many rounds it did.
func (s *sample) decodeBalancer(document bson.Raw) {
	mode, ok := document.Lookup("mode").StringValueOK()
	if !ok {
		return
	}
	s.values[places[balancerEnabled]] = 0
	if mode != "off" {
		s.values[places[balancerEnabled]] = 1
	}
	if rounds, ok := document.Lookup("numBalancerRounds").AsInt64OK(); ok {
		s.values[places[balancerRounds]] = rounds
	}
}

// decodeChunks takes the number of chunks on each shard.
func (s *sample) decodeChunks(document bson.Raw) {
	var found struct {
		Cursor struct {
			FirstBatch []struct {
				Shard  string `bson:"_id"`
				Chunks int64  `bson:"chunks"`
			} `bson:"firstBatch"`
		} `bson:"cursor"`
	}
	if bson.Unmarshal(document, &found) != nil {
		return
	}
	s.chunks = make(map[string]int64, len(found.Cursor.FirstBatch))
	for _, shard := range found.Cursor.FirstBatch {
		s.chunks[shard.Shard] = shard.Chunks
	}
}

// mustMarshal is for commands that are constants of this package.
func mustMarshal(command bson.D) bson.Raw {
	raw, err := bson.Marshal(command)
	if err != nil {
		panic(err)
	}
	return raw
}
