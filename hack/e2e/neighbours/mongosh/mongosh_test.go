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

var cluster *harness.Cluster

func TestMain(m *testing.M) {
	connected, err := harness.Connect()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	cluster = connected
	os.Exit(m.Run())
}

// newUser is a user who has kubectl, with the namespace as the current one, and mongosh, which reaches names of the cluster
// through the proxy.
func newUser(t *testing.T, n *harness.Namespace) (part.Shell, *proxy) {
	t.Helper()
	installed := part.Shell{Folder: part.Root(t)}.Run(t, "hack/e2e/neighbours/mongosh/install.sh")
	members, address := startProxy(t, n)
	user := part.User(t, n.Name)
	user.Environment = append(user.Environment,
		"PATH="+filepath.Dir(strings.TrimSpace(installed))+":"+os.Getenv("PATH")+":"+harness.KubectlFolder(t),
		"HOME="+t.TempDir(), "ALL_PROXY="+address, "NO_PROXY=localhost")
	return user, members
}

// forward makes the port of a member one that commands have as $PORT.
func forward(t *testing.T, n *harness.Namespace, user *part.Shell, pod string) {
	t.Helper()
	_, port, _ := strings.Cut(n.Forward(t, pod, mongoPort), ":")
	user.Environment = append(user.Environment, "PORT="+port)
}

// TestThePage runs the commands of the page against a replica set that takes connections with and without TLS.
func TestThePage(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	spec := harness.ReplicaSet("6.0.5")
	spec.MongoDB.Security = &benchv1alpha1.SecuritySpec{TLS: &benchv1alpha1.TLSSpec{Mode: new(benchv1alpha1.TLSPreferred)}}
	database := harness.Target("db", spec)
	n.Apply(t, database)
	n.WaitTarget(t, database)
	run := harness.RunOn("bench", "db")
	n.Apply(t, run)
	n.WaitSuccess(t, run)

	user, members := newUser(t, n)
	forward(t, n, &user, "db-mongod-0")
	primary := regexp.MustCompile(`^db-mongod-[012]\.db-members\.` + n.Name + `\.svc:27017\n$`)
	for _, command := range part.Commands(t, page) {
		said := user.Run(t, command)
		for evaluated, want := range map[string]*regexp.Regexp{
			"db.version()":               regexp.MustCompile(`^6\.0\.5\n$`),
			"db.people.countDocuments()": regexp.MustCompile(fmt.Sprintf(`^%d\n$`, harness.Documents)),
			"db.hello().primary":         primary,
			"db.people.findOne()._id":    regexp.MustCompile(`\d+`),
			"db.serverStatus().ok":       regexp.MustCompile(`^1\n$`),
		} {
			if strings.Contains(command, evaluated) && !want.MatchString(said) {
				t.Errorf("%s: %q, want %s", command, said, want)
			}
		}
	}
	if asked := members.names(); len(asked) != 3 {
		t.Errorf("by the connection string of the status these members were found: %v", asked)
	}
	for what, command := range map[string]string{
		"the observer reads documents": `mongosh "mongodb://localhost:$PORT/mongobench?directConnection=true&authSource=admin" ` +
			`--username mongobench-observer --quiet --eval 'db.people.findOne()' < observer`,
		"the load reads a database of others": `mongosh "mongodb://localhost:$PORT/other?directConnection=true&authSource=admin" ` +
			`--username mongobench --quiet --eval 'db.people.findOne()' < load`,
	} {
		if _, failure := user.Try(t, command); !strings.Contains(failure, "not authorized") {
			t.Errorf("%s: %s", what, failure)
		}
	}
}

// TestEveryVersion logs in by the connection string of the status to servers that take nothing but TLS, of each version that
// this mongosh speaks to.
func TestEveryVersion(t *testing.T) {
	for version, refuses := range map[string]string{
		"4.2.6": "requires at least 9 (MongoDB 4.4)", "4.4.2": "", "5.0.4": "", "6.0.5": "",
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			n := cluster.Namespace(t)
			spec := harness.Standalone(version)
			spec.MongoDB.Security = &benchv1alpha1.SecuritySpec{TLS: &benchv1alpha1.TLSSpec{Mode: new(benchv1alpha1.TLSRequired)}}
			database := harness.Target("db", spec)
			n.Apply(t, database)
			ready := n.WaitTarget(t, database)
			user, _ := newUser(t, n)
			user.Environment = append(user.Environment, "URI="+*ready.Status.Connection.URI)
			user.Run(t, `kubectl get secret db-tls -o jsonpath='{.data.ca\.crt}' | base64 -d > ca.crt`)
			user.Run(t, `kubectl get secret db-admin -o jsonpath='{.data.password}' | base64 -d > password`)
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
			if said, failure := user.Try(t, login+"< password"); failure == "" {
				t.Errorf("without TLS: %q", said)
			}
			if said, failure := user.Try(t, "echo wrong > wrong; "+login+"--tls --tlsCAFile ca.crt < wrong"); failure == "" {
				t.Errorf("with a wrong password: %q", said)
			}
		})
	}
}

// anywhere is what the documents call a database of a reader's.
const anywhere = "mongodb://db.example/"

// TestEveryLine runs each line of mongosh that the documents have elsewhere, in their order, and replays what they recorded.
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
	replay := part.Shell{Folder: part.Root(t), Environment: slices.DeleteFunc(user.Environment, func(variable string) bool {
		return strings.HasPrefix(variable, "HOME=") // Go has its cache there.
	})}
	said := replay.Run(t, "go run ./cmd/loadgen replay -f "+filepath.Join(user.Folder, "profile.jsonl")+
		` --uri "mongodb://localhost:$PORT" --as-fast-as-possible`)
	if !regexp.MustCompile(`(?m)^find +Find +.*\b20\b`).MatchString(said) {
		t.Errorf("20 finds were recorded, and this was replayed:\n%s", said)
	}
}

// documented are the lines of mongosh in blocks of the documents, other than the page of this folder.
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
	var lines []string
	for _, path := range pages {
		text, err := fs.ReadFile(root, path)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "\n```") {
			for line := range strings.Lines(block) {
				if i%2 == 1 && strings.HasPrefix(line, "mongosh ") {
					lines = append(lines, strings.TrimSpace(line))
				}
			}
		}
	}
	return lines
}
