package topology

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/internal/testing/serverflags"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// TestMembersTakeTheirFlags starts every real server with the very flags of each kind of member, and asks it whether
// they are in force.
func TestMembersTakeTheirFlags(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.All() {
		lists := flagsOf(t, version)
		for name, given := range lists {
			if !within(given, name, lists) {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					checkFlags(t, version, given)
				})
			}
		}
	}
}

// flagsOf are what the target controller gives its members of a version, by the names of the cases.
func flagsOf(t *testing.T, version string) map[string][]string {
	t.Helper()
	files, err := fs.Glob(serverflags.Files, "mongodb/*-"+version+".txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("finding flags of %s: %d files, error %v", version, len(files), err)
	}
	lists := make(map[string][]string, len(files))
	for _, file := range files {
		content, err := serverflags.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lists[strings.TrimSuffix(path.Base(file), ".txt")] = strings.Split(strings.TrimSpace(string(content)), "\n")
	}
	return lists
}

// within says whether another kind of member has all flags of one, and more: then its server shows that they are taken.
// One without authentication is within none that has it.
func within(given []string, name string, lists map[string][]string) bool {
	for other, more := range lists {
		missing := slices.ContainsFunc(withValues(given), func(flag string) bool {
			return !slices.Contains(withValues(more), flag)
		})
		alike := slices.Contains(given, "--keyFile") == slices.Contains(more, "--keyFile")
		if other != name && len(more) > len(given) && alike && !missing {
			return true
		}
	}
	return false
}

// withValues are the flags of a list, each with its value.
func withValues(given []string) []string {
	var flags []string
	for _, word := range given {
		if strings.HasPrefix(word, "--") {
			flags = append(flags, word)
			continue
		}
		flags[len(flags)-1] += " " + word
	}
	return flags
}

func checkFlags(t *testing.T, version string, given []string) {
	t.Helper()
	server := mongotest.StartExactly(t, version, inFolder(t, given))
	asked := serverAsked{client: loggedIn(t, server, slices.Contains(given, "--keyFile"))}
	for i, flag := range given {
		if name, isFlag := strings.CutPrefix(flag, "--"); isFlag {
			asked.check(t, name, given[i+1:])
		}
	}
}

// key is what the members know each other by.
const key = "c2VjcmV0"

// inFolder puts a folder of the test in the place of every folder of a pod, with the files that are looked for there.
func inFolder(t *testing.T, given []string) mongotest.Arguments {
	t.Helper()
	files := map[string][]byte{
		"/keyfile/keyfile": []byte(key), "/keyfile/member.pem": mongotest.Certificate(t),
	}
	files["/etc/mongobench/ca/ca.crt"] = files["/keyfile/member.pem"]
	folder := t.TempDir()
	for place, content := range files {
		file := filepath.Join(folder, filepath.Base(place))
		if err := os.WriteFile(file, content, 0o400); err != nil {
			t.Fatal(err)
		}
	}
	return func(data string, port int) []string {
		arguments := slices.Clone(given)
		for i, argument := range arguments {
			switch _, isFile := files[argument]; {
			case argument == "/data/db":
				arguments[i] = data
			case argument == "27017":
				arguments[i] = strconv.Itoa(port)
			case isFile:
				arguments[i] = filepath.Join(folder, filepath.Base(argument))
			}
		}
		return arguments
	}
}

// loggedIn connects as the members connect to one another, which works before a set is initiated.
func loggedIn(t *testing.T, server *mongotest.Server, withKey bool) *mongo.Client {
	t.Helper()
	settings := options.Client().ApplyURI(server.URI())
	if withKey {
		settings.SetAuth(options.Credential{Username: "__system", Password: key, AuthSource: "local"})
	}
	client, err := mongo.Connect(settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return client
}

// serverAsked is a server that is asked about its flags.
type serverAsked struct {
	client *mongo.Client
}

// parsed are the places of those flags in what a server says of its command line that nothing else tells of.
var parsed = map[string]string{
	"replSet": "replication.replSet", "oplogSize": "replication.oplogSizeMB",
	"configsvr": "sharding.clusterRole", "shardsvr": "sharding.clusterRole", "nojournal": "storage.journal.enabled",
	"wiredTigerCollectionBlockCompressor": "storage.wiredTiger.collectionConfig.blockCompressor",
	"wiredTigerIndexPrefixCompression":    "storage.wiredTiger.indexConfig.prefixCompression",
	"wiredTigerJournalCompressor":         "storage.wiredTiger.engineConfig.journalCompressor",
	"tlsMode":                             "net.tls.mode", "directoryperdb": "storage.directoryPerDB",
	"slowms": "operationProfiling.slowOpThresholdMs",
}

// expected are the words for flags that have no value.
var expected = map[string]string{
	"configsvr": "configsvr", "shardsvr": "shardsvr", "nojournal": "false", "directoryperdb": "true",
}

// check asks whether a flag is in force; what follows it begins with its value.
func (s serverAsked) check(t *testing.T, name string, following []string) {
	t.Helper()
	name, value, _ := strings.Cut(name, "=")
	if value == "" && len(following) > 0 {
		value = following[0]
	}
	var got string
	switch name {
	case "storageEngine":
		got = s.status(t, "storageEngine", "name")
	case "wiredTigerCacheSizeGB":
		got, value = s.status(t, "wiredTiger", "cache", "maximum bytes configured"), bytesOf(t, value)
	case "journalCommitInterval", "syncdelay":
		got = s.parameter(t, name)
	case "setParameter":
		parameter, wanted, _ := strings.Cut(value, "=")
		got, value = s.parameter(t, parameter), wanted
	default:
		place, known := parsed[name]
		if !known {
			return // That the server runs, answers and lets us in tells of these.
		}
		got = s.commandLine(t, place)
		if word, ok := expected[name]; ok {
			value = word
		}
	}
	if got != value {
		t.Errorf("--%s: the server says %s, want %s", name, got, value)
	}
}

func bytesOf(t *testing.T, gigabytes string) string {
	t.Helper()
	number, err := strconv.ParseFloat(gigabytes, 64)
	if err != nil {
		t.Fatal(err)
	}
	const mebibytes = 1024
	return strconv.FormatInt(int64(number*mebibytes)<<20, 10)
}

// ask returns one place of the reply to a command, in words.
func (s serverAsked) ask(t *testing.T, command bson.D, place ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	reply, err := s.client.Database("admin").RunCommand(ctx, command).Raw()
	if err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	value, err := reply.LookupErr(place...)
	if err != nil {
		return "nothing"
	}
	var plain any
	if err := value.Unmarshal(&plain); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(plain)
}

func (s serverAsked) status(t *testing.T, place ...string) string {
	t.Helper()
	return s.ask(t, bson.D{{Key: "serverStatus", Value: 1}}, place...)
}

func (s serverAsked) parameter(t *testing.T, name string) string {
	t.Helper()
	return s.ask(t, bson.D{{Key: "getParameter", Value: 1}, {Key: name, Value: 1}}, name)
}

func (s serverAsked) commandLine(t *testing.T, place string) string {
	t.Helper()
	return s.ask(t, bson.D{{Key: "getCmdLineOpts", Value: 1}}, append([]string{"parsed"}, strings.Split(place, ".")...)...)
}
