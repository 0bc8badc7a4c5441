package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/hack/perf/bare"
)

// theta is YCSB's constant of the Zipfian distribution.
const theta = 0.99

// identifiers returns the values of _id in the collection, those of the most frequent length only, so that one may be
// patched over another. Of YCSB's keys, which are hashes written in decimal, nine of ten have it.
func identifiers(ctx context.Context, address string) ([][]byte, error) {
	connection, err := bare.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = connection.Close() }()
	reply, err := connection.Run(bson.D{
		{Key: "find", Value: collection},
		{Key: "projection", Value: bson.D{{Key: "_id", Value: 1}}},
		{Key: "$db", Value: database},
	})
	byLength := map[int][][]byte{}
	most := 0
	for batch := "firstBatch"; err == nil; batch = "nextBatch" {
		documents, _ := reply.Lookup("cursor", batch).ArrayOK()
		elements, _ := documents.Values()
		for _, element := range elements {
			id, _ := element.Document().Lookup("_id").StringValueOK()
			byLength[len(id)] = append(byLength[len(id)], []byte(id))
			if len(byLength[len(id)]) > len(byLength[most]) {
				most = len(id)
			}
		}
		cursor, _ := reply.Lookup("cursor", "id").AsInt64OK()
		if cursor == 0 {
			break
		}
		reply, err = connection.Run(bson.D{
			{Key: "getMore", Value: cursor}, {Key: "collection", Value: collection}, {Key: "$db", Value: database},
		})
	}
	if err != nil {
		return nil, fmt.Errorf("reading the keys: %w", err)
	}
	if len(byLength[most]) == 0 {
		return nil, errors.New("the collection " + database + "." + collection + " is empty")
	}
	ids := byLength[most]
	// The popular ones are to be scattered over the collection, as YCSB's are.
	random := rand.New(rand.NewPCG(seed, 1))
	random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids, nil
}

// zipfian draws this many items out of n, the first being the most frequent.
func zipfian(n, count int) []uint32 {
	sums := make([]float64, n)
	sum := 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -theta)
		sums[i] = sum
	}
	random := rand.New(rand.NewPCG(seed, 0))
	draws := make([]uint32, count)
	for i := range draws {
		draws[i] = uint32(min(sort.SearchFloat64s(sums, random.Float64()*sum), n-1))
	}
	return draws
}
