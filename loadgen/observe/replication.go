package observe

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// primaryState is the state of a primary, as replSetGetStatus numbers them.
const primaryState = 1

// setMember is a member as replSetGetStatus tells of it.
type setMember struct {
	Name   string  `bson:"name"`
	Health float64 `bson:"health"`
	// OptimeDate has the grain of a second; LastAppliedWallTime, which 5.0 and later have, of a millisecond.
	OptimeDate          bson.DateTime `bson:"optimeDate"`
	LastAppliedWallTime bson.DateTime `bson:"lastAppliedWallTime"`
}

// applied is the time, in milliseconds, of the last operation that the member has applied.
func (m setMember) applied() bson.DateTime {
	if m.LastAppliedWallTime > 0 {
		return m.LastAppliedWallTime
	}
	return m.OptimeDate
}

// decodeReplication takes from a member's reply its own state and, if it is the primary, how far every healthy member
// is behind it. Only the primary knows: it is told by each member at once, while others learn of one another by
// heartbeats. A member that is not healthy has no lag, for its time reads as 1970.
func (s *sample) decodeReplication(document bson.Raw) {
	var status struct {
		MyState int64       `bson:"myState"`
		Members []setMember `bson:"members"`
	}
	if bson.Unmarshal(document, &status) != nil {
		return
	}
	s.values[places[replicationState]] = status.MyState
	if status.MyState != primaryState {
		return
	}
	var latest bson.DateTime
	for _, member := range status.Members {
		if member.Health > 0 {
			latest = max(latest, member.applied())
		}
	}
	s.lags = make(map[string]int64, len(status.Members))
	for _, member := range status.Members {
		if member.Health > 0 && member.applied() > 0 {
			s.lags[member.Name] = int64(latest - member.applied())
			s.values[places[largestLag]] = max(s.values[places[largestLag]], s.lags[member.Name])
		}
	}
}

// spreadLags gives every member the lag that the primary saw of it at the same time.
func spreadLags(observed map[string]*recording) {
	for _, primary := range observed {
		for slot, s := range primary.samples {
			if s != nil {
				spread(observed, slot, s.lags)
			}
		}
	}
}

func spread(observed map[string]*recording, slot int, lags map[string]int64) {
	for name, lag := range lags {
		member := observed[name]
		if member != nil && slot < len(member.samples) && member.samples[slot] != nil {
			member.samples[slot].values[places[replicationLag]] = lag
		}
	}
}
