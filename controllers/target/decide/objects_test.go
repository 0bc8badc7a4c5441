package decide

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/testing/golden"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// start is when the tests' targets were first seen.
var start = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

// normalised is a target with every default, as what is decided sees it.
func normalised(target *benchv1alpha1.BenchmarkTarget) *benchv1alpha1.BenchmarkTarget {
	return normal(Observation{Target: target}).Target
}

func observe(target *benchv1alpha1.BenchmarkTarget) Observation {
	found := ExternalSecrets(target.Spec)
	for i := range found {
		found[i].State = SecretFound
	}
	return Observation{
		Now:      start,
		Target:   target,
		Turn:     queue.Turn{Admitted: true, AtOnce: true},
		External: found,
		Settings: settings.Settings{
			LoadgenImage: "example.com/loadgen:1",
			ImageRepositories: map[benchv1alpha1.Product]string{
				benchv1alpha1.ProductMongoDB: "example.com/mongo", benchv1alpha1.ProductMariaDB: "example.com/mariadb",
				benchv1alpha1.ProductFerretDB: "example.com/ferretdb",
			},
		},
		Candidate: product.Credentials{
			Keyfile: []byte("keyfile's text"), AdminPassword: []byte("for people"), LoadPassword: []byte("for the load"),
			ObserverPassword: []byte("for looking"), ActionPassword: []byte("for acting"),
			HandlerSocketSecret: []byte("among us"),
			TLS: product.KeyPair{
				Authority: []byte("who signed"), Certificate: []byte("what was signed"), Key: []byte("its private key"),
			},
		},
	}
}

func TestDesiredObjects(t *testing.T) {
	onNode := targettest.Standalone("bench", "alone", "4.4.2")
	onNode.Spec.MongoDB.Storage = targettest.Directory("", "5Gi")
	for golden, target := range map[string]*benchv1alpha1.BenchmarkTarget{
		"standalone-4.4.yaml":   onNode,
		"standalone-6.0.yaml":   targettest.Standalone("bench", "alone", "6.0.5"),
		"replica-set-6.0.yaml":  targettest.ReplicaSet("bench", "set", 3),
		"members-6.0.yaml":      unlike(),
		"external.yaml":         targettest.External("bench", "theirs"),
		"external-tls.yaml":     externalByTLS(),
		"sharded-6.0.yaml":      targettest.Sharded("bench", "cluster"),
		"config-shard-8.0.yaml": routed(),
		"client-6.0.yaml":       pinned(),
		"community-asked.yaml":  byCommunity(),
		"community-6.0.yaml":    byCommunity(),
		"mariadb-10.11.yaml":    targettest.MariaDB("bench", "rows"),
		"ferretdb-1.24.yaml":    targettest.FerretDB("bench", "documents"),
		"handlersocket.yaml":    targettest.HandlerSocket("bench", "rows"),
	} {
		t.Run(golden, func(t *testing.T) {
			o := observe(target)
			if golden == "community-6.0.yaml" {
				o.Community = communityIn("Running", "", SecretFound).Community
			}
			if preparesItself(target.Spec) {
				o = running(o)
			}
			decision := decided(o)
			compareGolden(t, golden, decision.Desired)
		})
	}
}

// unlike is a replica set of members that are not alike.
func unlike() *benchv1alpha1.BenchmarkTarget {
	target := targettest.ReplicaSet("bench", "set", 3)
	target.Spec.MongoDB.ReplicaSet.Arbiters = new(int32(1))
	target.Spec.MongoDB.ReplicaSet.MemberSettings = []benchv1alpha1.MemberSettings{
		{Member: new(int32(1)), Priority: new(int32(5)), Tags: []benchv1alpha1.MemberTag{{Name: "use", Value: "reports"}}},
		{Member: new(int32(2)), DelaySeconds: new(int32(3600))},
	}
	return target
}

// externalByTLS is an external target that is known, and knows its clients, by certificates.
func externalByTLS() *benchv1alpha1.BenchmarkTarget {
	target := targettest.External("bench", "theirs")
	target.Spec.External.TLS = &benchv1alpha1.ExternalTLS{
		CASecretRef:                &benchv1alpha1.NameReference{Name: "authorities"},
		ClientCertificateSecretRef: &benchv1alpha1.NameReference{Name: "shown"},
	}
	return target
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
	golden.Compare(t, filepath.Join("testdata", name), got.String())
}

func TestImageOfTheTargetComesFirst(t *testing.T) {
	target := targettest.Standalone("bench", "alone", "6.0.5")
	target.Spec.MongoDB.Image = new("example.com/own/mongod:patched")
	if got := observe(target).Settings.Images().Server(normalised(target).Spec); got != *target.Spec.MongoDB.Image {
		t.Errorf("image %s", got)
	}
}
