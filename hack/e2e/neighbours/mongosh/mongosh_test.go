//go:build e2e

package mongosh

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

const (
	page      = "mongosh.md"
	mongoPort = 27017
)

// cluster is the cluster under test.
var cluster *harness.Cluster

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &cluster)) }

// newUser is a user who has kubectl, with the namespace as the current one, and mongosh, which reaches names of the
// cluster through the proxy.
func newUser(t *testing.T, n *harness.Namespace) (part.Shell, *proxy) {
	t.Helper()
	installed := part.Shell{Folder: part.Root(t)}.Run(t, "hack/e2e/neighbours/mongosh/install.sh")
	members, address := startProxy(t, n)
	user := part.User(t, cluster, n.Name)
	user.Folder = t.TempDir()
	user.Folder = t.TempDir()
	user.Environment = append(user.Environment,
		"PATH="+filepath.Dir(strings.TrimSpace(installed))+":"+os.Getenv("PATH")+":"+harness.KubectlFolder(t),
		"HOME="+t.TempDir(), "ALL_PROXY="+address)
	return user, members
}

// forward makes the port of a member one that commands have as $PORT.
func forward(t *testing.T, n *harness.Namespace, user *part.Shell, pod string) {
	t.Helper()
	_, port, _ := strings.Cut(n.Forward(t, pod, mongoPort), ":")
	user.Environment = append(user.Environment, "PORT="+port)
}

// secured lets the members of a target take connections with TLS.
func secured(spec *benchv1alpha1.BenchmarkTargetSpec, mode benchv1alpha1.TLSMode) *benchv1alpha1.BenchmarkTargetSpec {
	spec.MongoDB.Security = &benchv1alpha1.SecuritySpec{TLS: &benchv1alpha1.TLSSpec{Mode: &mode}}
	return spec
}

// answers are what the commands of the page print, by what they have mongosh evaluate.
func answers(namespace string) map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"db.version()":               regexp.MustCompile(`^6\.0\.5\n$`),
		"db.people.countDocuments()": regexp.MustCompile(fmt.Sprintf(`^%d\n$`, harness.Documents)),
		"db.hello().primary":         regexp.MustCompile(`^db-mongod-[012]\.db-members\.` + namespace + `\.svc:27017\n$`),
		"db.people.findOne()._id":    regexp.MustCompile(`\d+`),
		"db.serverStatus().ok":       regexp.MustCompile(`^1\n$`),
	}
}

// TestThePage runs the commands of the page against a replica set without TLS, and those for TLS against another that
// takes nothing else.
func TestThePage(t *testing.T) {
	for name, mode := range map[string]benchv1alpha1.TLSMode{
		"without TLS": benchv1alpha1.TLSDisabled, "with TLS": benchv1alpha1.TLSRequired,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := cluster.Namespace(t)
			database := harness.Target("db", secured(harness.ReplicaSet("6.0.5"), mode))
			n.Apply(t, database)
			n.WaitTarget(t, database)
			run := harness.RunOn("bench", "db")
			n.Apply(t, run)
			n.WaitSuccess(t, run)

			user, members := newUser(t, n)
			forward(t, n, &user, "db-mongod-0")
			follow(t, n.Name, user, mode == benchv1alpha1.TLSRequired)
			if asked := members.names(); len(asked) != 3 {
				t.Errorf("by the connection string of the status these members were found: %v", asked)
			}
			if mode == benchv1alpha1.TLSDisabled {
				checkRefused(t, user)
			}
		})
	}
}

// follow runs those commands of the page that are for a target with TLS, or for one without, and looks at what they
// print.
func follow(t *testing.T, namespace string, user part.Shell, withTLS bool) {
	t.Helper()
	wanted := answers(namespace)
	for _, command := range part.Commands(t, page) {
		logsIn := strings.Contains(command, "mongosh ")
		if needs := strings.Contains(command, "ca.crt"); logsIn && needs != withTLS || needs && !withTLS {
			continue
		}
		said := user.Run(t, command)
		for evaluated, want := range wanted {
			if strings.Contains(command, evaluated) && !want.MatchString(said) {
				t.Errorf("%s: %q, want %s", command, said, want)
			}
		}
	}
}

// checkRefused has users try what is not theirs.
func checkRefused(t *testing.T, user part.Shell) {
	t.Helper()
	const read = ` --username %s --quiet --eval 'db.people.findOne()' < %s`
	for what, command := range map[string]string{
		"the observer reads documents": "mongobench?directConnection=true&authSource=admin\"" +
			fmt.Sprintf(read, "mongobench-observer", "observer"),
		"the load reads a database of others": "other?directConnection=true&authSource=admin\"" +
			fmt.Sprintf(read, "mongobench", "load"),
	} {
		_, failure := user.Try(t, `mongosh "mongodb://localhost:$PORT/`+command)
		if !strings.Contains(failure, "not authorized") {
			t.Errorf("%s: %s", what, failure)
		}
	}
}

// TestEveryVersion logs in by the connection string of the status to servers that take nothing but TLS, of each version
// that this mongosh speaks to.
func TestEveryVersion(t *testing.T) {
	for version, refuses := range map[string]string{
		"4.2.6": "requires at least 9 (MongoDB 4.4)", "4.4.2": "", "5.0.4": "", "6.0.5": "",
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			n := cluster.Namespace(t)
			database := harness.Target("db", secured(harness.Standalone(version), benchv1alpha1.TLSRequired))
			n.Apply(t, database)
			ready := n.WaitTarget(t, database)
			user, _ := newUser(t, n)
			user.Environment = append(user.Environment, "URI="+*ready.Status.Connection.URI)
			user.Run(t, `kubectl get secret db-tls -o jsonpath='{.data.ca\.crt}' | base64 -d > ca.crt`)
			user.Run(t, `kubectl get secret db-admin -o jsonpath='{.data.password}' | base64 -d > password`)
			checkLogin(t, user, version, refuses)
		})
	}
}

// checkLogin logs in by $URI, or wants to be told why this mongosh refuses.
func checkLogin(t *testing.T, user part.Shell, version, refuses string) {
	t.Helper()
	const login = `mongosh "$URI" --username root --quiet --eval 'db.version()' `
	said, failure := user.Try(t, login+"--tls --tlsCAFile ca.crt < password")
	if refuses != "" {
		if !strings.Contains(failure, refuses) {
			t.Errorf("%s %s, want a refusal that says %q", said, failure, refuses)
		}
		return
	}
	if said != version+"\n" || failure != "" {
		t.Errorf("said %q, %s", said, failure)
	}
	for what, command := range map[string]string{
		"without the authority": login + "< password",
		"with a wrong password": "echo wrong > wrong; " + login + "--tls --tlsCAFile ca.crt < wrong",
	} {
		if said, failure := user.Try(t, command); failure == "" {
			t.Errorf("%s: %q", what, said)
		}
	}
}

// anywhere is what the documents call a database of a reader's.
const anywhere = "mongodb://db.example/"

// TestEveryLine runs each line of mongosh that the documents have elsewhere, in their order, and replays what they
// recorded.
func TestEveryLine(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	spec := harness.Standalone("6.0.5")
	spec.MongoDB.Security = &benchv1alpha1.SecuritySpec{Authentication: new(benchv1alpha1.Disabled)}
	database := harness.Target("db", spec)
	n.Apply(t, database)
	n.WaitTarget(t, database)
	user, _ := newUser(t, n)
	forward(t, n, &user, "db-mongod-0")
	lines := documented(t)
	if len(lines) == 0 {
		t.Fatal("the documents have no line of mongosh; delete this test")
	}
	for _, line := range lines {
		here := strings.ReplaceAll(line, anywhere, "mongodb://localhost:$PORT/")
		if here == line {
			t.Errorf("a line has to name %s, or nobody knows where it goes: %s", anywhere, line)
			continue
		}
		user.Run(t, here)
		if strings.Contains(line, "setProfilingLevel(2)") {
			user.Run(t, `mongosh "mongodb://localhost:$PORT/shop" --quiet --eval `+
				`'for (let i = 0; i < 20; i++) db.orders.find({_id: i}).toArray()'`)
		}
	}
	// Go has its cache in the real home.
	environment := slices.DeleteFunc(user.Environment, func(variable string) bool {
		return strings.HasPrefix(variable, "HOME=")
	})
	replay := part.Shell{Folder: part.Root(t), Environment: environment}
	said := replay.Run(t, "go run ./cmd/loadgen replay -f "+filepath.Join(user.Folder, "profile.jsonl")+
		` --uri "mongodb://localhost:$PORT" --as-fast-as-possible`)
	if !regexp.MustCompile(`(?m)^find orders +RunCommand +service +20 +0 `).MatchString(said) {
		t.Errorf("20 finds were recorded, and this was replayed:\n%s", said)
	}
}

// documented are the lines of the documents that begin with mongosh, other than those of the page of this folder.
func documented(t *testing.T) []string {
	t.Helper()
	root := os.DirFS(part.Root(t))
	pages := []string{"README.md"}
	err := fs.WalkDir(root, "docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") && path != "docs/neighbours/"+page {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^mongosh .*$`)
	var all []byte
	for _, path := range pages {
		text, err := fs.ReadFile(root, path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, text...), '\n')
	}
	return line.FindAllString(string(all), -1)
}
