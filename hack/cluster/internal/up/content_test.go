package up

import (
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

func TestManifestsHoldThePlannedNamesAndAddresses(t *testing.T) {
	rendered, err := renderAddons("mongobench.local/coredns:1.2.3")
	if err != nil {
		t.Fatalf("renderAddons: %v", err)
	}
	for _, want := range []string{
		"image: mongobench.local/coredns:1.2.3\n",
		"clusterIP: " + plan.DNSAddress + "\n",
		"kubernetes " + plan.Domain + " in-addr.arpa",
		"kubernetes.io/hostname: node1 }\n",
		`answer "{{ .Name }} 5 IN TXT \"authSource=$external\""` + "\n",
		`storageclass.kubernetes.io/is-default-class: "true"`,
		"volumeBindingMode: WaitForFirstConsumer",
		"reclaimPolicy: Delete",
	} {
		if !strings.Contains(string(rendered), want) {
			t.Errorf("manifests lack %q", want)
		}
	}
	// What CoreDNS renders itself is left.
	if strings.Contains(strings.ReplaceAll(string(rendered), "{{ .Name }}", ""), "{{") {
		t.Error("manifests hold what was not rendered")
	}
}
