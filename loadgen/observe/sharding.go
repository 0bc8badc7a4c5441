package observe

import (
	"regexp"

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
