package sharding

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// Balancing says whether the balancer moves chunks, or will: whether it is on and has something to do. The observer is
// who asks for it.
func Balancing(ctx context.Context, client, observer *driver.Client) (bool, error) {
	c, err := findCluster(ctx, client)
	if err != nil || c == nil {
		return false, errorclass.WithoutSecrets(err)
	}
	c.ask, c.config = lookup.Admin(ctx, observer), observer.Database("config")
	balancing, err := c.balancing(ctx)
	if err != nil {
		return false, fmt.Errorf("asking what the balancer does: %w", errorclass.WithoutSecrets(err))
	}
	return balancing, nil
}

func (c *cluster) balancing(ctx context.Context) (bool, error) {
	status, err := c.ask(bson.D{{Key: "balancerStatus", Value: 1}})
	if err != nil || lookup.Text(status, "mode") != "full" {
		return false, err
	}
	if open, err := c.windowOpen(ctx); err != nil || !open {
		return false, err
	}
	collections, err := lookup.All[struct {
		ID string `bson:"_id"`
	}](ctx, c.config.Collection("collections"), bson.D{
		{Key: "dropped", Value: bson.D{{Key: "$ne", Value: true}}},
		// The server's own collections lie as they lie.
		{Key: "_id", Value: bson.D{{Key: "$not", Value: bson.Regex{Pattern: "^config\\."}}}},
	})
	if err != nil {
		return false, err
	}
	for _, collection := range collections {
		even, err := c.even(ctx, collection.ID)
		if err != nil || !even {
			return err == nil, err
		}
	}
	return false, nil
}

// even says whether the balancer is content with a collection.
func (c *cluster) even(ctx context.Context, ns string) (bool, error) {
	if c.release.AtLeast(mongod.Release{Major: 4, Minor: 4}) {
		reply, err := c.ask(bson.D{{Key: "balancerCollectionStatus", Value: ns}})
		compliant, _ := reply.Lookup("balancerCompliant").BooleanOK()
		return compliant, err
	}
	chunks, err := Chunks(ctx, c.config, ns)
	return evenChunks(chunks, c.shards), err
}

// evenChunks is what a balancer up to 5.0 is content with: numbers of chunks that differ by less than 2, 4 or 8.
func evenChunks(chunks map[string]int, shards []string) bool {
	counts := make([]int, len(shards))
	total := 0
	for i, shard := range shards {
		counts[i] = chunks[shard]
		total += counts[i]
	}
	threshold := 8
	switch {
	case total < 20:
		threshold = 2
	case total < 80:
		threshold = 4
	}
	return total == 0 || slices.Max(counts)-slices.Min(counts) < threshold
}

// windowOpen says whether the balancer may work at this time of the day. The servers' clock is taken for UTC, as that
// of a container is.
func (c *cluster) windowOpen(ctx context.Context) (bool, error) {
	hello, err := c.ask(lookup.IsMaster)
	if err != nil {
		return false, err
	}
	found, err := lookup.All[bson.Raw](ctx, c.config.Collection("settings"), bson.D{{Key: "_id", Value: "balancer"}})
	if err != nil || len(found) == 0 {
		return true, err
	}
	now, _ := hello.Lookup("localTime").DateTimeOK()
	clock := time.UnixMilli(now).UTC().Format("15:04")
	start, stop := lookup.Text(found[0], "activeWindow", "start"), lookup.Text(found[0], "activeWindow", "stop")
	return inWindow(clock, start, stop), nil
}

// inWindow says whether a time of the day, as 15:04, lies between two others; no others are the whole day.
func inWindow(clock, start, stop string) bool {
	if start == "" || stop == "" {
		return true
	}
	if start <= stop {
		return strings.Compare(start, clock) <= 0 && clock < stop
	}
	return start <= clock || clock < stop
}
