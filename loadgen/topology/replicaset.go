package topology

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// Codes of MongoDB's errors, from its error_codes.yml.
const (
	codeAlreadyInitialized = 23
	codeNodeNotFound       = 74
	codeInvalidConfig      = 93
	codeNotYetInitialized  = 94
	codeRoleExists         = 51002
	codeUserExists         = 51003
)

// settings of a replica set's election.
type settings struct {
	ElectionTimeoutMillis   int32 `bson:"electionTimeoutMillis"`
	HeartbeatIntervalMillis int32 `bson:"heartbeatIntervalMillis"`
}

// The set is formed with fast settings, which saves about ten seconds, and measured with MongoDB's own defaults,
// because half a second without a heartbeat is common on a busy node and would make a false election.
var (
	formingSettings   = settings{ElectionTimeoutMillis: 500, HeartbeatIntervalMillis: 100}
	measuringSettings = settings{ElectionTimeoutMillis: 10000, HeartbeatIntervalMillis: 2000}
)

// States of a member, from replSetGetStatus.
const (
	statePrimary   = 1
	stateSecondary = 2
	stateArbiter   = 7
)

type status struct {
	Members []struct {
		Name     string `bson:"name"`
		State    int    `bson:"state"`
		StateStr string `bson:"stateStr"`
	} `bson:"members"`
}

// formReplicaSet initiates the set unless that was done, waits until every member is primary or secondary, puts the
// election settings back and returns the primary.
func formReplicaSet(ctx context.Context, set planv1.ReplicaSet, all members) (member, error) {
	if err := initiate(ctx, set, all); err != nil {
		return member{}, err
	}
	// With the settings of the forming, a member that has to wait for a core for half a second may lose the primaryship
	// between two commands; then the next primary is asked.
	err := poll(ctx, func() error {
		primary, err := waitUntilStable(ctx, set, all)
		if err != nil {
			return err
		}
		return restoreSettings(ctx, primary)
	})
	if err != nil {
		return member{}, err
	}
	// The reconfiguration may have made the primary step down.
	return waitUntilStable(ctx, set, all)
}

func initiate(ctx context.Context, set planv1.ReplicaSet, all members) error {
	initiated, err := anyInitiated(ctx, all)
	if err != nil || initiated {
		return err
	}
	built, err := all[0].admin(ctx, lookup.BuildInfo)
	if err != nil {
		return fmt.Errorf("asking %s for its version: %w", all[0].host, err)
	}
	config := bson.D{
		{Key: "_id", Value: set.Name},
		{Key: "members", Value: memberConfigs(set, all, mongod.ParseRelease(lookup.Text(built, "version")))},
		{Key: "settings", Value: formingSettings},
	}
	if set.Role == planv1.RoleConfig || set.Role == planv1.RoleConfigShard {
		config = append(config, bson.E{Key: "configsvr", Value: true})
	}
	durable, err := all[0].durable(ctx)
	if err != nil {
		return err
	}
	if !durable {
		// Otherwise a write that a majority is to have waits for ever for a journal that there is not.
		config = append(config, bson.E{Key: "writeConcernMajorityJournalDefault", Value: false})
	}
	return poll(ctx, func() error {
		_, err := all[0].admin(ctx, bson.D{{Key: "replSetInitiate", Value: config}})
		switch {
		case err == nil, errorclass.HasCode(err, codeAlreadyInitialized):
			return nil
		case errorclass.HasCode(err, codeInvalidConfig), errorclass.HasCode(err, codeNodeNotFound):
			// A member's name is not published yet, or not known to the others.
			return fmt.Errorf("initiating it on %s: the members cannot find one another: %w", all[0].host, err)
		default:
			return fmt.Errorf("initiating it on %s: %w", all[0].host, err)
		}
	})
}

// durable says whether the member's storage engine keeps data over a restart.
func (m member) durable(ctx context.Context) (bool, error) {
	reply, err := m.admin(ctx, bson.D{{Key: "serverStatus", Value: 1}})
	if err != nil {
		return false, fmt.Errorf("asking %s for its storage engine: %w", m.host, err)
	}
	persistent, known := reply.Lookup("storageEngine", "persistent").BooleanOK()
	return persistent || !known, nil
}

// anyInitiated asks every member, because an earlier attempt may have reached only some of them.
func anyInitiated(ctx context.Context, all members) (bool, error) {
	for _, m := range all {
		_, err := m.admin(ctx, bson.D{{Key: "replSetGetStatus", Value: 1}})
		if err == nil {
			return true, nil
		}
		if !errorclass.HasCode(err, codeNotYetInitialized) {
			return false, fmt.Errorf("asking %s for the set's state: %w", m.host, err)
		}
	}
	return false, nil
}

// waitUntilStable waits until one member is a writable primary, every other secondary and an arbiter what it is, and
// returns the primary.
func waitUntilStable(ctx context.Context, set planv1.ReplicaSet, all members) (member, error) {
	var primary member
	err := poll(ctx, func() error {
		var s status
		err := all[0].client.Database("admin").RunCommand(ctx, bson.D{{Key: "replSetGetStatus", Value: 1}}).Decode(&s)
		if err != nil {
			return fmt.Errorf("asking %s for the set's state: %w", all[0].host, err)
		}
		if primary, err = stablePrimary(s, set, all); err != nil {
			return err
		}
		return primary.writable(ctx)
	})
	return primary, err
}

// writable returns an error while a primary that was elected a moment ago does not take writes yet.
func (m member) writable(ctx context.Context) error {
	reply, err := m.admin(ctx, bson.D{{Key: "isMaster", Value: 1}})
	if err != nil {
		return fmt.Errorf("asking primary %s whether it is writable: %w", m.host, err)
	}
	if writable, _ := reply.Lookup("ismaster").BooleanOK(); !writable {
		return fmt.Errorf("primary %s takes no writes yet", m.host)
	}
	return nil
}

// stablePrimary returns the primary of a set in which every member that holds data is primary or secondary, or an error
// that tells the members' states. A primary that another one will take over from by its priority is not stable.
func stablePrimary(s status, set planv1.ReplicaSet, all members) (member, error) {
	stable := len(s.Members) == len(all)+len(set.Arbiters)
	states := make([]string, len(s.Members))
	var primary member
	for i, m := range s.Members {
		states[i] = m.Name + " " + m.StateStr
		stable = stable && settled(m.State, slices.Contains(set.Arbiters, m.Name))
		at := slices.IndexFunc(all, func(one member) bool { return one.host == m.Name })
		if m.State == statePrimary && at >= 0 {
			primary = all[at]
			stable = stable && priorityOf(set, at) >= highestPriority(set, len(all))
		}
	}
	if !stable || primary.client == nil {
		return member{}, fmt.Errorf("no stable primary yet among %d members: %s",
			len(all)+len(set.Arbiters), strings.Join(states, ", "))
	}
	return primary, nil
}

// settled says whether a member's state is what it stays in.
func settled(state int, arbiter bool) bool {
	if arbiter {
		return state == stateArbiter
	}
	return state == statePrimary || state == stateSecondary
}

// restoreSettings gives the set the settings that it is measured with.
func restoreSettings(ctx context.Context, primary member) error {
	reply, err := primary.admin(ctx, bson.D{{Key: "replSetGetConfig", Value: 1}})
	if err != nil {
		return fmt.Errorf("reading the set's configuration from %s: %w", primary.host, err)
	}
	config, done, err := withMeasuringSettings(reply)
	if err != nil || done {
		return err
	}
	if _, err := primary.admin(ctx, bson.D{{Key: "replSetReconfig", Value: config}}); err != nil {
		return fmt.Errorf("putting the election settings back on %s: %w", primary.host, err)
	}
	return nil
}

// withMeasuringSettings returns the next configuration, or done when the present one has those settings already.
func withMeasuringSettings(reply bson.Raw) (config bson.D, done bool, err error) {
	var next struct {
		Config bson.D `bson:"config"`
	}
	var present struct {
		Config struct {
			Version  int64    `bson:"version"`
			Settings settings `bson:"settings"`
		} `bson:"config"`
	}
	if err := errors.Join(bson.Unmarshal(reply, &next), bson.Unmarshal(reply, &present)); err != nil {
		return nil, false, fmt.Errorf("reading the set's configuration: %w", err)
	}
	replace(next.Config, "version", present.Config.Version+1)
	for _, element := range next.Config {
		if inner, ok := element.Value.(bson.D); ok && element.Key == "settings" {
			replace(inner, "electionTimeoutMillis", measuringSettings.ElectionTimeoutMillis)
			replace(inner, "heartbeatIntervalMillis", measuringSettings.HeartbeatIntervalMillis)
		}
	}
	return next.Config, present.Config.Settings == measuringSettings, nil
}

// replace sets a field that a document has.
func replace(document bson.D, name string, value any) {
	for i := range document {
		if document[i].Key == name {
			document[i].Value = value
		}
	}
}
