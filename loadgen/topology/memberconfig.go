package topology

import (
	"maps"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// firstSecondaryDelay is the first release that calls a member's delay secondaryDelaySecs; slaveDelay before.
var firstSecondaryDelay = mongod.Release{Major: 5}

// memberConfigs are the members of a set as replSetInitiate is told them: those that hold data, and the arbiters after
// them. What is not declared is left to the server.
func memberConfigs(set planv1.ReplicaSet, all members, release mongod.Release) bson.A {
	configs := make(bson.A, 0, len(all)+len(set.Arbiters))
	for i, m := range all {
		config := bson.D{{Key: "_id", Value: i}, {Key: "host", Value: m.host}}
		if declared := settingsOf(set, i); declared != nil {
			config = append(config, memberConfig(*declared, release)...)
		}
		configs = append(configs, config)
	}
	for i, host := range set.Arbiters {
		configs = append(configs, bson.D{
			{Key: "_id", Value: len(all) + i}, {Key: "host", Value: host}, {Key: "arbiterOnly", Value: true},
		})
	}
	return configs
}

// settingsOf are what is special about a member, nil for nothing.
func settingsOf(set planv1.ReplicaSet, member int) *planv1.MemberSettings {
	at := slices.IndexFunc(set.Settings, func(s planv1.MemberSettings) bool { return s.Member == member })
	if at < 0 {
		return nil
	}
	return &set.Settings[at]
}

// priorityOf is that of a member in elections, by default MongoDB's own.
func priorityOf(set planv1.ReplicaSet, member int) int {
	if declared := settingsOf(set, member); declared != nil {
		return declared.Priority
	}
	return 1
}

func highestPriority(set planv1.ReplicaSet, members int) (highest int) {
	for member := range members {
		highest = max(highest, priorityOf(set, member))
	}
	return highest
}

// memberConfig is what is special about one member.
func memberConfig(declared planv1.MemberSettings, release mongod.Release) bson.D {
	config := bson.D{
		{Key: "priority", Value: declared.Priority},
		{Key: "votes", Value: declared.Votes},
		{Key: "hidden", Value: declared.Hidden},
	}
	if declared.DelaySeconds > 0 {
		name := "slaveDelay"
		if release.AtLeast(firstSecondaryDelay) {
			name = "secondaryDelaySecs"
		}
		config = append(config, bson.E{Key: name, Value: declared.DelaySeconds})
	}
	tags := make(bson.D, 0, len(declared.Tags))
	for _, name := range slices.Sorted(maps.Keys(declared.Tags)) {
		tags = append(tags, bson.E{Key: name, Value: declared.Tags[name]})
	}
	if len(tags) > 0 {
		config = append(config, bson.E{Key: "tags", Value: tags})
	}
	return config
}
