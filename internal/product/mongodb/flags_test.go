package mongodb

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/internal/testing/golden"
	"github.com/mongobench/mongobench-operator/internal/testing/serverflags"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// goldenFlags is where package serverflags has what the cases are given. A test of package topology starts the real
// servers with it, and asks whether it is in force.
const goldenFlags = "../../testing/serverflags/mongodb"

// flagCase is one kind of member, in the files NAME.yaml, and the versions of its golden files NAME-VERSION.txt.
type flagCase struct {
	Versions []string                          `json:"versions"`
	Role     planv1alpha1.SetRole              `json:"role"`
	Target   benchv1alpha1.BenchmarkTargetSpec `json:"target"`
}

func flagCases(t *testing.T) map[string]flagCase {
	t.Helper()
	files, err := fs.Glob(serverflags.Files, "mongodb/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("finding cases: %d files, error %v", len(files), err)
	}
	cases := map[string]flagCase{}
	for _, file := range files {
		content, err := serverflags.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var read flagCase
		if err := yaml.UnmarshalStrict(content, &read); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		cases[strings.TrimSuffix(path.Base(file), ".yaml")] = read
	}
	return cases
}

// flagsOf are the flags of a case by version.
func (c flagCase) flagsOf(t *testing.T, version string) []string {
	t.Helper()
	c.Target.MongoDB.Version = version
	MongoDB{}.Normalise(&c.Target)
	product.Surroundings(&c.Target.MongoDB.Deployment)
	all := sets(c.Target)
	i := slices.IndexFunc(all, func(s product.Set) bool { return s.Role == c.Role })
	if i < 0 {
		t.Fatalf("the target has no set with role %s", c.Role)
	}
	return mongodFlags(c.Target, all[i], false)
}

func TestFlags(t *testing.T) {
	for name, tc := range flagCases(t) {
		for _, version := range tc.Versions {
			t.Run(name+" "+version, func(t *testing.T) {
				got := strings.Join(tc.flagsOf(t, version), "\n") + "\n"
				golden.Compare(t, filepath.Join(goldenFlags, name+"-"+version+".txt"), got)
			})
		}
	}
}

// TestTheTableIsWhatIsGiven compares the table, by which the validation goes, with what the cases are given.
func TestTheTableIsWhatIsGiven(t *testing.T) {
	found := map[mongod.Kind]map[string]bool{mongod.Argument: {}, mongod.Parameter: {}}
	for _, tc := range flagCases(t) {
		for _, version := range tc.Versions {
			collectOptions(tc.flagsOf(t, version), ownFlags(tc.Target), found)
		}
	}
	for _, option := range mongod.Given() {
		if !found[option.Kind][option.Name] {
			t.Errorf("no case is given the %s %s", option.Kind, option.Name)
		}
		delete(found[option.Kind], option.Name)
	}
	for kind, names := range found {
		for name := range names {
			t.Errorf("the %s %s is given and not in the table of what is", kind, name)
		}
	}
}

// collectOptions finds the names in what is given, without what a case declares itself.
func collectOptions(given, own []string, found map[mongod.Kind]map[string]bool) {
	for i, flag := range given {
		name, isFlag := strings.CutPrefix(flag, "--")
		switch {
		case slices.Contains(own, flag):
		case i > 0 && given[i-1] == "--setParameter":
			parameter, _, _ := strings.Cut(flag, "=")
			found[mongod.Parameter][parameter] = true
		case isFlag && name != "setParameter":
			found[mongod.Argument][name] = true
		}
	}
}

// ownFlags are what a case declares itself.
func ownFlags(spec benchv1alpha1.BenchmarkTargetSpec) []string {
	own := slices.Clone(spec.MongoDB.Arguments)
	for _, parameter := range spec.MongoDB.Parameters {
		own = append(own, parameter.Name+"="+parameter.Value)
	}
	return own
}

func TestCacheFitsTheMemoryLimit(t *testing.T) {
	inMemory := func(size string) *benchv1alpha1.StorageSpec {
		return targettest.Directory(corev1.StorageMediumMemory, size)
	}
	for name, tc := range map[string]struct {
		memory  string
		engine  benchv1alpha1.EngineName
		storage *benchv1alpha1.StorageSpec
		want    string
	}{
		"as small as there is":      {memory: "512Mi", want: "0.25"},
		"nothing above a gibibyte":  {memory: "1Gi", want: "0.25"},
		"little above a gibibyte":   {memory: "1536Mi", want: "0.25"},
		"half of what is above":     {memory: "4Gi", want: "1.5"},
		"no round number":           {memory: "3000Mi", want: "0.964844"},
		"much":                      {memory: "129Gi", want: "64"},
		"beside a volume in memory": {memory: "8Gi", storage: inMemory("4Gi"), want: "1.5"},
		"an engine in memory":       {memory: "4Gi", engine: benchv1alpha1.EngineInMemory, want: "1.5"},
		"an engine without a limit": {memory: "4Gi", engine: benchv1alpha1.EngineEphemeralForTest, want: "0"},
		"TokuMX":                    {memory: "4Gi", engine: benchv1alpha1.EngineTokuMX, want: "2"},
		"TokuMX on a volume in memory": {
			memory: "4Gi", engine: benchv1alpha1.EngineTokuMX, storage: inMemory("3Gi"), want: "0.5",
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := targettest.MongoDB("6.0.5")
			spec.MongoDB.Storage = tc.storage
			if tc.engine != "" {
				spec.MongoDB.Engine = &benchv1alpha1.EngineSpec{Name: &tc.engine}
			}
			if got := gigabytes(mongod.CacheMebibytes(spec, resource.MustParse(tc.memory))); got != tc.want {
				t.Errorf("memory %s: cache %s GB, want %s", tc.memory, got, tc.want)
			}
		})
	}
}

func TestConfigServersHaveWiredTigerWhateverTheShardsHave(t *testing.T) {
	spec := targettest.Shards("6.0.5", benchv1alpha1.ShardedSpec{})
	spec.MongoDB.Engine = &benchv1alpha1.EngineSpec{Name: new(benchv1alpha1.EngineEphemeralForTest)}
	MongoDB{}.Normalise(&spec)
	product.Surroundings(&spec.MongoDB.Deployment)
	for _, s := range sets(spec) {
		if routes(s) {
			continue
		}
		given := mongodFlags(spec, s, false)
		if got := slices.Contains(given, "ephemeralForTest"); got != s.Measured {
			t.Errorf("%s has the engine of the target: %t, want %t", s.Name, got, s.Measured)
		}
		if got := s.CacheMebibytes; (got == 0) != s.Measured {
			t.Errorf("%s has a cache of %d MiB", s.Name, got)
		}
	}
}

func TestOplogFitsItsVolume(t *testing.T) {
	for volume, want := range map[string]int64{
		"1Gi": 204, "4Gi": 819, "10Gi": 990, "100Gi": 5120, "10Ti": 51200,
	} {
		if got := oplogMebibytes(resource.MustParse(volume)); got != want {
			t.Errorf("volume %s: oplog %d MB, want %d", volume, got, want)
		}
	}
}

// TestServersListenOnIPv6 is about releases that a kernel without IPv6 does not harm, and about those that it does.
func TestServersListenOnIPv6(t *testing.T) {
	for name, tc := range map[string]struct {
		version string
		cluster bool
		want    bool
	}{
		"a release that goes on without":  {"5.0.4", false, true},
		"one that would end":              {"4.4.2", false, false},
		"one where there is nothing else": {"4.4.2", true, true},
		"one that has another argument":   {"3.4.24", true, false},
	} {
		target := &benchv1alpha1.BenchmarkTarget{Spec: targettest.Shards(tc.version, benchv1alpha1.ShardedSpec{})}
		MongoDB{}.Normalise(&target.Spec)
		product.Surroundings(&target.Spec.MongoDB.Deployment)
		for _, s := range (MongoDB{}).Sets(target.Spec) {
			given := mongosFlags(target, tc.cluster)
			if !routes(s) {
				given = mongodFlags(target.Spec, s, tc.cluster)
			}
			if routes(s) && tc.version == "3.4.24" {
				continue // There are no routers of a release as old.
			}
			if got := slices.Contains(given, "--ipv6"); got != tc.want {
				t.Errorf("%s: %s is given %v", name, s.Name, given)
			}
		}
	}
}
