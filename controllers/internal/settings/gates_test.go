package settings_test

import (
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
)

func TestParseGates(t *testing.T) {
	for name, tc := range map[string]struct {
		list  string
		want  settings.Gates
		fails string
	}{
		"none": {list: "", want: settings.Gates{}},
		"some": {
			list: "FerretDB=false, HandlerSocket=true,", want: settings.Gates{"FerretDB": false, "HandlerSocket": true},
		},
		"one that is unknown":  {list: "Warp=true", fails: `no feature gate is called "Warp"; there are FerretDB=true, Han`},
		"one without a value":  {list: "FerretDB", fails: "FerretDB=: must be true or false"},
		"one that is a little": {list: "FerretDB=some", fails: "FerretDB=some: must be true or false"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := settings.ParseGates(tc.list)
			if tc.fails != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tc.fails) {
					t.Fatalf("got error %v, want %q", err, tc.fails)
				}
				return
			}
			if err != nil || !maps.Equal(got, tc.want) {
				t.Errorf("got %v, %v, want %v", got, err, tc.want)
			}
		})
	}
}

func text(errs field.ErrorList) string {
	if len(errs) == 0 {
		return ""
	}
	return errs.ToAggregate().Error()
}

// TestWhatAGateIsFor has each field that is behind a gate. With the gate off it is refused by its path and the gate's
// name, and with nothing set it is taken.
func TestWhatAGateIsFor(t *testing.T) {
	allOff, err := settings.ParseGates(strings.ReplaceAll(settings.KnownGates(), "true", "false"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		run, path string
		gate      settings.Gate
	}{
		"FerretDB": {
			"target: {ferretdb: {version: 1.24.0}}", "spec.target.ferretdb", settings.GateFerretDB,
		},
		"an existing FerretDB": {
			"target: {external: {product: FerretDB}}", "spec.target.external.product", settings.GateFerretDB,
		},
		"the Community Operator": {
			"target: {mongodb: {replicaSet: {}, version: 6.0.5, provider: MongoDBCommunity}}", "spec.target.mongodb.provider",
			settings.GateMongoDBCommunity,
		},
		"an old server": {
			"target: {mongodb: {version: 4.0.28}}", "spec.target.mongodb.version", settings.GateLegacyServers,
		},
		"TokuMX": {
			"target: {mongodb: {version: 2.0.1, engine: {name: TokuMX}}}", "spec.target.mongodb.engine.name",
			settings.GateLegacyServers,
		},
		"a plugin of MariaDB": {
			"target: {mariadb: {version: '10.11', handlerSocket: {}}}",
			"spec.target.mariadb.handlerSocket", settings.GateHandlerSocket,
		},
		"a client": {"loadGenerator: {client: HandlerSocket}", "spec.loadGenerator.client", settings.GateHandlerSocket},
		"load pods that route": {
			"target: {mongodb: {version: 6.0.5, sharded: {router: Client}}}", "spec.target.mongodb.sharded.router",
			settings.GateRouterClient,
		},
		"what is behind none": {
			run: "target: {mariadb: {version: '10.11'}}\nloadGenerator: {client: Wire}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var run benchv1alpha1.BenchmarkRunSpec
			if err := yaml.UnmarshalStrict([]byte(tc.run), &run); err != nil {
				t.Fatal(err)
			}
			if errs := (settings.Gates{}).Refuse(run); len(errs) > 0 {
				t.Errorf("refused by default: %v", errs)
			}
			want := ""
			if tc.path != "" {
				want = tc.path + ": Forbidden: it is experimental, and the operator was started with the feature gate " +
					string(tc.gate) + " off; ask whoever runs it"
			}
			if got := text(allOff.Refuse(run)); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
