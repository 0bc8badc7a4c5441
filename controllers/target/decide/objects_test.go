package decide

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/target/internal/targettest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// start is when the tests' targets were first seen.
var start = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

func observe(target *benchv1alpha1.BenchmarkTarget) Observation {
	return Observation{
		Now:      start,
		Target:   target,
		Settings: settings.Settings{LoadgenImage: "example.com/loadgen:1", MongodImageRepository: "example.com/mongo"},
		Candidate: Credentials{
			Keyfile: []byte("keyfile"), AdminPassword: []byte("for people"), LoadPassword: []byte("for load"),
		},
		ExternalURI: SecretFound,
	}
}

func TestDesiredObjects(t *testing.T) {
	onNode := targettest.Standalone("bench", "alone", "4.4.2")
	medium := benchv1alpha1.StorageMediumEmptyDir
	onNode.Spec.Storage = &benchv1alpha1.StorageSpec{Medium: &medium, Size: new(resource.MustParse("5Gi"))}
	for golden, target := range map[string]*benchv1alpha1.BenchmarkTarget{
		"standalone-4.4.yaml":  onNode,
		"standalone-6.0.yaml":  targettest.Standalone("bench", "alone", "6.0.5"),
		"replica-set-6.0.yaml": targettest.ReplicaSet("bench", "set", 3),
		"external.yaml":        targettest.External("bench", "theirs"),
	} {
		t.Run(golden, func(t *testing.T) {
			decision, err := Decide(observe(target))
			if err != nil {
				t.Fatal(err)
			}
			compareGolden(t, golden, decision.Desired)
		})
	}
}

func compareGolden(t *testing.T, name string, objects []desired.Object) {
	t.Helper()
	var got bytes.Buffer
	for _, object := range objects {
		content, err := desired.Content(object)
		if err != nil {
			t.Fatal(err)
		}
		kinds, _, err := scheme.Scheme.ObjectKinds(object)
		if err != nil {
			t.Fatal(err)
		}
		content["apiVersion"], content["kind"] = kinds[0].ToAPIVersionAndKind()
		encoded, err := yaml.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString("---\n")
		got.Write(encoded)
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("objects differ from %s (-want +got); -update writes it anew:\n%s", file, diff)
	}
}

func TestCacheIsHalfOfTheMemoryAboveOneGibibyte(t *testing.T) {
	for memory, want := range map[string]string{
		"512Mi": "0.25", "1Gi": "0.25", "1536Mi": "0.25", "2Gi": "0.5", "4Gi": "1.5", "10Gi": "4.5", "3000Mi": "0.964844",
		"129Gi": "64",
	} {
		if got := cacheGigabytes(resource.MustParse(memory)); got != want {
			t.Errorf("memory %s: cache %s GB, want %s", memory, got, want)
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

func TestFlagsByVersion(t *testing.T) {
	const quick = "shutdownTimeoutMillisForSignaledShutdown=0"
	for version, want := range map[string]bool{"4.4": false, "4.4.29": false, "5.0.4": true, "6.0.5": true, "8.0": true} {
		flags := mongodFlags(targettest.Standalone("bench", "alone", version).Spec)
		if got := flags[len(flags)-1] == quick; got != want {
			t.Errorf("version %s: stops quickly by flag: %t, want %t", version, got, want)
		}
	}
}

func TestMembersKeepTheCredentialsThatExist(t *testing.T) {
	o := observe(targettest.ReplicaSet("bench", "set", 3))
	first := keyfileSecret(o.Target, nil, o.Candidate)
	o.Candidate.Keyfile = []byte("another")
	if got := string(keyfileSecret(o.Target, first, o.Candidate).Data["keyfile"]); got != "keyfile" {
		t.Errorf("the key became %q", got)
	}
}

func TestImageOfTheTargetComesFirst(t *testing.T) {
	target := targettest.Standalone("bench", "alone", "6.0.5")
	target.Spec.Image = new("example.com/own/mongod:patched")
	if got := mongodImage(target.Spec, observe(target).Settings); got != *target.Spec.Image {
		t.Errorf("image %s", got)
	}
}
