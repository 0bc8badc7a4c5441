package engine

import (
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

func TestUseDurability(t *testing.T) {
	write := func(concern *planv1.WriteConcern) planv1.Operation {
		return planv1.Operation{
			Request: planv1.Request{Kind: "InsertOne"}, WholeSettings: planv1.WholeSettings{WriteConcern: concern},
		}
	}
	plan := func(declared string, load *planv1.WriteConcern, operations ...planv1.Operation) planv1.Plan {
		return planv1.Plan{Durability: declared, Steps: []planv1.Step{
			{Kind: planv1.StepLoad, WriteConcern: load}, {Kind: planv1.StepMeasure, Operations: operations},
		}}
	}
	synced := planv1.ConcernOf("Synced")
	durable := reportv1.Server{Topology: loadgen.TopologyStandalone, Persistence: "Durable", Durability: "Memory"}
	transient := reportv1.Server{
		Topology: loadgen.TopologyStandalone, Persistence: loadgen.PersistenceTransient, Durability: "Memory",
	}
	mariaDB := reportv1.Server{Topology: loadgen.TopologyStandalone, Persistence: "Durable", Durability: "OSCache"}
	tests := map[string]struct {
		plan   planv1.Plan
		server reportv1.Server
		want   string
		err    string
	}{
		"a write without a concern is as the server says": {plan("", nil, write(nil)), durable, "Memory", ""},
		"a write with one is as it says":                  {plan("", nil, write(synced)), durable, "Synced", ""},
		"writes of several": {
			plan("", nil, write(synced), write(nil), write(synced)), durable, "Memory, Synced", "",
		},
		"reads are as the server's writes would be": {
			plan("", nil, planv1.Operation{Request: planv1.Request{Kind: "FindOne"}}), durable, "Memory", "",
		},
		"what is declared and holds": {plan("Synced", synced, write(synced)), durable, "Synced", ""},
		"a concern of an operation's own": {
			plan("Synced", synced, write(&planv1.WriteConcern{W: "0"})), durable, "None", "",
		},
		"what an engine cannot": {
			plan("Synced", synced, write(synced)), transient, "", "durability Synced, and the server's is Memory",
		},
		"what a load could not be": {
			plan("Synced", synced), transient, "", "durability Synced, and the server's is Memory",
		},
		"a server that does as declared": {plan("OSCache", nil, write(nil)), mariaDB, "OSCache", ""},
		"a server that does less": {
			plan("Synced", nil, write(nil)), mariaDB, "", "durability Synced, and the server's is OSCache",
		},
		"a server that does more": {
			plan("Memory", nil), mariaDB, "", "durability Memory, and the server's is OSCache",
		},
		"a server that says nothing": {
			plan("Memory", nil, write(nil)), reportv1.Server{}, "", "the server's is not known",
		},
		"nothing declared and nothing known": {plan("", nil, write(nil)), reportv1.Server{}, "", ""},
		"nothing at all, loaded with a reply": {
			plan("None", planv1.ConcernOf("Memory"), write(planv1.ConcernOf("None"))), durable, "None", "",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			server := tc.server
			err := useDurability(tc.plan, &server)
			switch {
			case tc.err == "" && err != nil:
				t.Fatal(err)
			case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
				t.Fatalf("got error %v, want one with %q", err, tc.err)
			case tc.err == "" && server.Durability != tc.want:
				t.Errorf("got %q, want %q", server.Durability, tc.want)
			}
		})
	}
}
