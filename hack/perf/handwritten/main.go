package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/sync/errgroup"

	"github.com/mongobench/mongobench-operator/hack/perf/draw"
)

const (
	database   = "perfapplication"
	collection = "usertable"
	// fields and valueBytes are YCSB's.
	fields     = 10
	valueBytes = 100
	// batch is how many documents an insert has when the collection is filled.
	batch = 1000
	// drawn is how many draws are made beforehand, and gone through again and again.
	drawn = 1 << 17
	// kept is how many latencies a worker keeps, the latest.
	kept = 1 << 16
)

// settings are the flags.
type settings struct {
	uri                     string
	threads, reads, records int
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "handwritten:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string) error {
	var s settings
	set := flag.NewFlagSet("handwritten", flag.ContinueOnError)
	set.StringVar(&s.uri, "uri", "mongodb://127.0.0.1:27017", "connection string")
	set.IntVar(&s.threads, "threads", 1, "goroutines that read and update")
	set.IntVar(&s.reads, "reads", 100, "percentage of reads; the rest are updates")
	set.IntVar(&s.records, "records", 100_000, "documents in the collection")
	if err := set.Parse(arguments); err != nil {
		return err
	}
	client, err := mongo.Connect(options.Client().ApplyURI(s.uri))
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	table := client.Database(database).Collection(collection)
	if err := fill(ctx, table, s.records); err != nil {
		return fmt.Errorf("filling the collection: %w", err)
	}
	draws := draw.Zipfian(s.records, drawn)
	group, ctx := errgroup.WithContext(ctx)
	for number := range s.threads {
		w := worker{table: table, draws: draws, reads: s.reads, random: rand.New(rand.NewPCG(1, uint64(number)))}
		group.Go(func() error { return w.work(ctx) })
	}
	return group.Wait()
}

// fill makes the collection.
func fill(ctx context.Context, table *mongo.Collection, records int) error {
	if err := table.Drop(ctx); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(0, 0))
	documents := make([]bson.D, 0, batch)
	for number := range records {
		document := bson.D{{Key: "_id", Value: key(uint32(number))}}
		for field := range fields {
			document = append(document, bson.E{Key: name(field), Value: value(random)})
		}
		documents = append(documents, document)
		if len(documents) < batch && number < records-1 {
			continue
		}
		if _, err := table.InsertMany(ctx, documents); err != nil {
			return err
		}
		documents = documents[:0]
	}
	return nil
}

func key(number uint32) string {
	return "user" + strconv.FormatUint(uint64(number)*2654435761%(1<<32), 10)
}

func name(field int) string { return "field" + strconv.Itoa(field) }

func value(random *rand.Rand) bson.Binary {
	bytes := make([]byte, valueBytes)
	for i := range bytes {
		bytes[i] = byte(random.Uint32())
	}
	return bson.Binary{Data: bytes}
}

// worker is one goroutine.
type worker struct {
	table     *mongo.Collection
	draws     []uint32
	reads     int
	random    *rand.Rand
	latencies []time.Duration
}

func (w *worker) work(ctx context.Context) error {
	w.latencies = make([]time.Duration, 0, kept)
	for ctx.Err() == nil {
		id := key(w.draws[w.random.IntN(len(w.draws))])
		begin := time.Now()
		if err := w.next(ctx, bson.D{{Key: "_id", Value: id}}); err != nil {
			return err
		}
		if len(w.latencies) == kept {
			w.latencies = w.latencies[:0]
		}
		w.latencies = append(w.latencies, time.Since(begin))
	}
	return ctx.Err()
}

// next reads or updates one document.
func (w *worker) next(ctx context.Context, filter bson.D) error {
	if w.random.IntN(100) < w.reads {
		var document bson.D
		return w.table.FindOne(ctx, filter).Decode(&document)
	}
	changed := bson.D{{Key: name(w.random.IntN(fields)), Value: value(w.random)}}
	result, err := w.table.UpdateOne(ctx, filter, bson.D{{Key: "$set", Value: changed}})
	if err == nil && result.MatchedCount != 1 {
		err = errors.New("an update found no document")
	}
	return err
}
