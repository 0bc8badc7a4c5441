package main

import (
	"encoding/json"
	"fmt"
	"time"
)

// replicationUnknown is the state of a member that does not answer.
const replicationUnknown = 6

// health is the status that the operator's readiness probe and its version hook read: the names are theirs.
type health struct {
	Statuses map[string]processHealth `json:"statuses"`
	Plans    map[string]planHealth    `json:"mmsStatus"`
}

type processHealth struct {
	InGoalState       bool  `json:"IsInGoalState"`
	LastUpTime        int64 `json:"LastMongoUpTime"`
	ExpectedToBeUp    bool  `json:"ExpectedToBeUp"`
	ReplicationStatus int   `json:"ReplicationStatus"`
}

type planHealth struct {
	Name        string `json:"name"`
	LastVersion int64  `json:"lastGoalVersionAchieved"`
	Plans       []plan `json:"plans"`
}

// plan is what the agent is about; here that is one step, in which it waits for other members.
type plan struct {
	Moves   []move    `json:"moves"`
	Started time.Time `json:"started"`
}

type move struct {
	Move  string `json:"move"`
	Steps []step `json:"steps"`
}

type step struct {
	Step    string    `json:"step"`
	IsWait  bool      `json:"isWaitStep"`
	Started time.Time `json:"started"`
}

// reached is how far a member has come.
type reached struct {
	state   int
	up      time.Time
	version int64
	// began is when it began to wait for the others.
	began time.Time
}

// plans are those of a member that waits: the operator's probe calls it ready, so that the next member is started.
func (r reached) plans(wanted int64) []plan {
	if r.version == wanted {
		return []plan{}
	}
	waits := step{Step: "WaitAllRsMembersUp", IsWait: true, Started: r.began}
	return []plan{{Started: r.began, Moves: []move{{Move: "WaitRsInit", Steps: []step{waits}}}}}
}

// write tells how far the member has come, and whether that is what the config wants.
func (r reached) write(path, pod string, wanted int64) error {
	content, err := json.Marshal(health{
		Statuses: map[string]processHealth{pod: {
			InGoalState: r.version == wanted, LastUpTime: r.up.Unix(), ExpectedToBeUp: true, ReplicationStatus: r.state,
		}},
		Plans: map[string]planHealth{pod: {Name: pod, LastVersion: r.version, Plans: r.plans(wanted)}},
	})
	if err == nil {
		err = writeWhole(path, content)
	}
	if err != nil {
		return fmt.Errorf("writing the health status: %w", err)
	}
	return nil
}
