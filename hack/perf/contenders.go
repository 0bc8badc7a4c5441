package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

// The counters of serverStatus that tell what was done.
var (
	pointOperations = []string{"query", "update"}
	inserts         = []string{"insert"}
)

const (
	records     = 100_000
	loadBatch   = 5000
	ycsbBatch   = 100
	ycsbThreads = 16
	// goYCSBDatabase is the only one that go-ycsb knows, whatever the connection string says.
	goYCSBDatabase = "ycsb"
	loadTable      = "loadtable"
	// presetDatabase is the one of a run that names none.
	presetDatabase = benchv1alpha1.DefaultDatabase
	// endless is more documents or operations than any window can take.
	endless = 1_000_000_000
)

// contender is one way of doing the work of a race.
type contender struct {
	name string
	// counters that rise with its work.
	counters []string
	// databases, and collections of go-ycsb's database, to drop once it has ended.
	databases, collections []string
	// rounds it takes part in, for one that no figure is made of; 0 for all.
	rounds int
	// prepare returns how it is started, and where its own report will be; empty for one that is killed in the end.
	prepare func(target string, window time.Duration) (process.Command, string, error)
	// beside goes on while it works, until the context ends; nil for nothing.
	beside func(ctx context.Context) error
}

// race is a comparison of contenders that do the same work.
type race struct {
	name, title string
	contenders  []contender
	// atMost is how long its windows are where the usual ones are longer; 0 for no bound.
	atMost time.Duration
	// turns are the contenders of a round's windows, by number, when all of them are started together and one works while
	// the others stand still; empty for one after the other.
	turns []int
}

// programs are the paths of what is raced.
type programs struct {
	loadgen, bareSockets, goYCSB, python, pymongo string
	// mongoimport is empty where there is none.
	mongoimport string
	// scratch is a folder for files of this run.
	scratch string
	// scraped is where the load generator serves its metrics.
	scraped string
}

// floor is the bare sockets, on that many processors; the arguments say at what work.
func (p programs) floor(name string, processors int, counters []string, arguments ...string) contender {
	return contender{
		name: name, counters: counters, databases: []string{"perfload"},
		prepare: func(target string, _ time.Duration) (process.Command, string, error) {
			return process.Command{
				Path: p.bareSockets, Arguments: append(append([]string{}, arguments...), "--address", target),
				Environment: []string{"GOMAXPROCS=" + strconv.Itoa(processors)},
			}, "", nil
		},
	}
}

// ycsb is go-ycsb at one of YCSB's core workloads, with this percentage of reads. Of two settings of one name the later
// holds.
func (p programs) ycsb(work, target string, threads, reads int, more ...string) process.Command {
	return process.Command{Path: p.goYCSB, Arguments: append([]string{
		work, "mongodb.url=mongodb://" + target + "/" + goYCSBDatabase + "?w=1", "recordcount=" + strconv.Itoa(records),
		"threadcount=" + strconv.Itoa(threads), "fieldcount=10", "fieldlength=100", "requestdistribution=zipfian",
		"readproportion=" + share(reads), "updateproportion=" + share(100-reads), "insertproportion=0",
		"scanproportion=0", "measurementtype=histogram", "silence=false",
	}, more...)}
}

// share writes a percentage as YCSB does.
func share(percent int) string {
	return strconv.FormatFloat(float64(percent)/100, 'f', -1, 64)
}

// goYCSBRun is go-ycsb at reads and updates.
func (p programs) goYCSBRun(threads, reads int) contender {
	return contender{
		name: nameGoYCSB, counters: pointOperations,
		prepare: func(target string, _ time.Duration) (process.Command, string, error) {
			return p.ycsb("run", target, threads, reads, "operationcount="+strconv.Itoa(endless)), "", nil
		},
	}
}

// goYCSBLoad is go-ycsb at loading its documents one by one, for it has no batches for MongoDB.
func (p programs) goYCSBLoad() contender {
	return contender{
		name: "go-ycsb, one by one", counters: inserts, collections: []string{loadTable},
		prepare: func(target string, _ time.Duration) (process.Command, string, error) {
			return p.ycsb("load", target, ycsbThreads, 100,
				"recordcount="+strconv.Itoa(endless), "table="+loadTable), "", nil
		},
	}
}

// pymongoLoad is pymongo's insert_many in one process.
func (p programs) pymongoLoad() contender {
	return contender{
		name: namePymongo, counters: inserts, databases: []string{"perfload"},
		prepare: func(target string, _ time.Duration) (process.Command, string, error) {
			return process.Command{Path: p.python, Arguments: []string{p.pymongo, target, strconv.Itoa(loadBatch)}}, "", nil
		},
	}
}

// mongoimportLoad is mongoimport, fed by a pipe that never ends.
func (p programs) mongoimportLoad() contender {
	return contender{
		name: nameImport, counters: inserts, databases: []string{"perfload"},
		prepare: func(target string, _ time.Duration) (process.Command, string, error) {
			return process.Command{
				Path: p.mongoimport, Input: newFeed(loadBatch),
				Arguments: []string{
					"--uri", "mongodb://" + target, "--db", "perfload", "--collection", "mongoimport",
					"--numInsertionWorkers", "2", "--writeConcern", "{w: 1}", "--quiet",
				},
			}, "", nil
		},
	}
}

// mode says how the load generator is used.
type mode struct {
	title, client, run string
	threads, reads     int
	// rate of an open loop; 0 for a closed one.
	rate int
	// batch of a load that never ends; 0 for a workload.
	batch int
	// database of its own; empty for the preset's.
	database string
}

// ours is the load generator itself.
func (p programs) ours(m mode) contender {
	c := contender{name: m.title, counters: pointOperations, databases: []string{presetDatabase}}
	if m.database != "" {
		c.databases = []string{m.database}
	}
	if m.client == clientDriver {
		c.rounds = driverRounds
	}
	if m.batch > 0 {
		c.counters, c.databases = inserts, []string{"perfload", presetDatabase}
	}
	c.prepare = func(target string, window time.Duration) (process.Command, string, error) {
		scratch := filepath.Join(p.scratch, m.database)
		file, err := writeRun(scratch, m, window)
		if err != nil {
			return process.Command{}, "", err
		}
		results := filepath.Join(scratch, "results")
		report := ""
		if m.batch == 0 {
			report = filepath.Join(results, "report.json")
		}
		return process.Command{
			Path:      p.loadgen,
			Arguments: []string{"run", "-f", file, "--uri", "mongodb://" + target, "-o", results},
		}, report, nil
	}
	return c
}

// feed is an endless stream of documents in JSON, one a line, the same batch again and again.
type feed struct {
	lines []byte
	at    int
}

func newFeed(documents int) *feed {
	var lines bytes.Buffer
	for i := range documents {
		fmt.Fprintf(&lines, "{\"created_on\":{\"$date\":\"2012-01-01T%02d:%02d:%02dZ\"},\"value\":0.%06d}\n",
			i/3600%24, i/60%60, i%60, i*7919%1_000_000)
	}
	return &feed{lines: lines.Bytes()}
}

// Read fills all of p.
func (f *feed) Read(p []byte) (int, error) {
	for filled := 0; filled < len(p); {
		n := copy(p[filled:], f.lines[f.at:])
		filled += n
		f.at = (f.at + n) % len(f.lines)
	}
	return len(p), nil
}
