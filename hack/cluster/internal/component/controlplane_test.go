package component_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/component"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

var update = flag.Bool("update", false, "write the golden files")

// commands are all processes of a control plane, as text.
func commands() string {
	c := plan.Cluster{State: "/state", NodeCount: 1, Port: 16443}
	const binaries = "/cache/kubernetes"
	var lines strings.Builder
	for _, command := range []machine.Command{
		component.Etcd(c, binaries), component.APIServer(c, binaries),
		component.ControllerManager(c, binaries), component.Scheduler(c, binaries),
		component.Provisioner(c, binaries), component.Forwarder(c),
	} {
		lines.WriteString(command.Name + ":\n  " + strings.Join(command.Args, "\n  ") + "\n")
	}
	return lines.String()
}

func TestCommandsOfTheControlPlaneAreAsPinned(t *testing.T) {
	golden := filepath.Join("testdata", "commands.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(commands()), 0o600); err != nil {
			t.Fatalf("writing golden file: %v", err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("reading golden file: %v; write it with -update", err)
	}
	if diff := cmp.Diff(string(want), commands()); diff != "" {
		t.Errorf("commands differ (-want +got):\n%s", diff)
	}
}

func TestEveryRequestIsAuthorizedAndNoneIsAnonymous(t *testing.T) {
	all := commands()
	for _, wanted := range []string{
		"--authorization-mode=Node,RBAC\n", "--anonymous-auth=false\n", "NodeRestriction",
		"--client-cert-auth\n", "--use-service-account-credentials=true\n",
	} {
		if !strings.Contains(all, wanted) {
			t.Errorf("no process is called with %q", strings.TrimSpace(wanted))
		}
	}
	if strings.Contains(all, "AlwaysAllow") || strings.Contains(all, "insecure") {
		t.Error("a process is called without authorization")
	}
}
