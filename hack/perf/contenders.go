package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

// Names of the races and contenders that figures are made of.
const (
	raceLoad     = "load"
	raceRead16   = "read16"
	raceRead64   = "read64"
	raceA        = "a16"
	raceB        = "b16"
	raceUpdates  = "updates16"
	raceYCSBLoad = "ycsbload"
	raceOpenLoop = "openloop"
	// raceApplicationReads and raceApplicationA compare what applications are with the client that is like them.
	raceApplicationReads = "application"
	raceApplicationA     = "applicationa"
	// raceFlow compares two reads of a flow with two reads of a mix.
	raceFlow = "flow"

	nameFloor1      = "floor, 1 connection"
	nameFloor2      = "floor, 2 connections"
	nameLoad1       = "loadgen, 1 thread"
	nameLoad2       = "loadgen, 2 threads"
	nameOurs        = "loadgen"
	nameDriver      = "loadgen, driver"
	nameGoYCSB      = "go-ycsb"
	nameApplication = "loadgen, application"
	nameHandwritten = "the driver, by hand"
	namePymongo     = "pymongo insert_many"
	nameImport      = "mongoimport, 2 workers"
	nameFlow        = "loadgen, flow"
	nameMix         = "loadgen, mix"
	namePoints1     = "floor, GOMAXPROCS=1"
	namePoints2     = "floor, GOMAXPROCS=2"
	openLoopRate    = 10_000
)

// driverRounds is how often the driver is measured, which is here to be seen and in no figure.
const driverRounds = 2

const (
	clientWire        = string(benchv1alpha1.ClientWire)
	clientDriver      = string(benchv1alpha1.ClientDriver)
	clientApplication = string(benchv1alpha1.ClientApplication)
)

// races are all comparisons, in the order in which they are shown.
func (p programs) races() []race {
	return []race{
		p.loadRace(),
		p.pointRace(raceRead16, "YCSB C, 16 threads", 16, 100, true),
		p.pointRace(raceRead64, "YCSB C, 64 threads", 64, 100, false),
		p.pointRace(raceA, "YCSB A, half updates, 16 threads", 16, 50, true),
		p.pointRace(raceB, "YCSB B, 5% updates, 16 threads", 16, 95, false),
		p.pointRace(raceUpdates, "90% updates, 16 threads", 16, 10, false),
		{name: raceYCSBLoad, title: "YCSB load of 1 KB documents, 16 threads", contenders: []contender{
			p.ours(mode{
				title: nameOurs, client: clientWire, run: pointsFile, threads: ycsbThreads, reads: 100,
				batch: ycsbBatch,
			}),
			p.goYCSBLoad(),
		}},
		{
			name: raceOpenLoop, title: "YCSB C, open loop, " + strconv.Itoa(openLoopRate) + " due a second",
			contenders: []contender{p.ours(mode{
				title: nameOurs, client: clientWire, run: pointsFile, threads: 64, reads: 100, rate: openLoopRate,
			})},
		},
		p.replayRace(),
		p.applicationRace(raceApplicationReads, "The driver as applications use it, YCSB C, 16 threads", 100),
		p.applicationRace(raceApplicationA, "The driver as applications use it, YCSB A, 16 threads", 50),
		{name: raceFlow, title: "Reads in a flow and in a mix, 16 threads", contenders: []contender{
			p.ours(mode{title: nameFlow, client: clientWire, run: flowFile, threads: ycsbThreads, database: "perfflow"}),
			p.ours(mode{title: nameMix, client: clientWire, run: mixFile, threads: ycsbThreads, database: "perfmix"}),
		}},
		p.observingRace(),
	}
}

// applicationRace compares the client Application with a loop over the same driver that was written by hand, and with
// go-ycsb's, at reads and updates. Each has the number of processors that Go chooses.
func (p programs) applicationRace(name, title string, reads int) race {
	return race{name: name, title: title, contenders: []contender{
		p.ours(mode{
			title: nameApplication, client: clientApplication, run: pointsFile, threads: ycsbThreads, reads: reads,
			allProcessors: true,
		}),
		{
			name: nameHandwritten, counters: pointOperations, databases: []string{"perfapplication"},
			command: process.Command{Path: p.handwritten, Arguments: []string{
				"--uri", "mongodb://" + p.target, "--threads", strconv.Itoa(ycsbThreads), "--reads", strconv.Itoa(reads),
				"--records", strconv.Itoa(records),
			}},
		},
		p.goYCSBRun(ycsbThreads, reads),
	}}
}

// choose keeps the named races, or all when none is named.
func choose(all []race, names []string) ([]race, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []race
	for _, name := range names {
		at := slices.IndexFunc(all, func(r race) bool { return r.name == name })
		if at < 0 {
			return nil, fmt.Errorf("no race is called %q", name)
		}
		chosen = append(chosen, all[at])
	}
	return chosen, nil
}

func (p programs) loadRace() race {
	loading := func(title, client string, threads int) contender {
		return p.ours(mode{title: title, client: client, run: timeseriesFile, threads: threads, batch: loadBatch})
	}
	r := race{name: raceLoad, title: "Load of 57-byte documents, batches of 5,000", contenders: []contender{
		p.floor(nameFloor1, 2, inserts, "load", "--connections", "1"),
		loading(nameLoad1, clientWire, 1),
		p.floor(nameFloor2, 2, inserts, "load", "--connections", "2"),
		loading(nameLoad2, clientWire, 2),
		loading("loadgen, driver, 1 thread", clientDriver, 1),
		loading("loadgen, driver, 2 threads", clientDriver, 2),
		p.pymongoLoad(),
	}}
	if p.mongoimport != "" {
		r.contenders = append(r.contenders, p.mongoimportLoad())
	}
	return r
}

// pointRace compares reads and updates of single documents.
func (p programs) pointRace(name, title string, threads, reads int, withDriver bool) race {
	work := []string{"points", "--threads", strconv.Itoa(threads), "--reads", strconv.Itoa(reads)}
	ours := mode{title: nameOurs, client: clientWire, run: pointsFile, threads: threads, reads: reads}
	r := race{name: name, title: title, contenders: []contender{
		p.floor(namePoints1, 1, pointOperations, work...),
		p.ours(ours),
		p.floor(namePoints2, 2, pointOperations, work...),
		p.goYCSBRun(threads, reads),
	}}
	if withDriver {
		ours.title, ours.client = nameDriver, clientDriver
		r.contenders = append(r.contenders, p.ours(ours))
	}
	return r
}

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
	// command is how it is started, and write what writes the file that this reads, for a window; nil for none.
	command process.Command
	write   func(window time.Duration) error
	// report is where its own report will be; empty for one that works until it is killed, and reports nothing.
	report string
	// beside goes on while it works, until the context ends; nil for nothing.
	beside func(ctx context.Context) error
}

// start starts it. The window is how long it has to work at least.
func (c contender) start(window time.Duration) (*process.Process, error) {
	if c.write != nil {
		if err := c.write(window); err != nil {
			return nil, err
		}
	}
	return process.Start(c.name, c.command)
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
	loadgen, bareSockets, handwritten, goYCSB, python, pymongo string
	// mongoimport is empty where there is none.
	mongoimport string
	// scratch is a folder for files of this run.
	scratch string
	// target is the address of the server, and scraped where the load generator serves its metrics.
	target, scraped string
}

// floor is the bare sockets, on that many processors; the arguments say at what work.
func (p programs) floor(name string, processors int, counters []string, arguments ...string) contender {
	return contender{
		name: name, counters: counters, databases: []string{"perfload"},
		command: process.Command{
			Path: p.bareSockets, Arguments: slices.Concat(arguments, []string{"--address", p.target}),
			Environment: []string{"GOMAXPROCS=" + strconv.Itoa(processors)},
		},
	}
}

// ycsb is go-ycsb at one of YCSB's core workloads, with this percentage of reads. Of two settings of one name the later
// holds.
func (p programs) ycsb(work string, threads, reads int, more ...string) process.Command {
	return process.Command{Path: p.goYCSB, Arguments: append([]string{
		work, "mongodb.url=mongodb://" + p.target + "/" + goYCSBDatabase + "?w=1", "recordcount=" + strconv.Itoa(records),
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
		command: p.ycsb("run", threads, reads, "operationcount="+strconv.Itoa(endless)),
	}
}

// goYCSBLoad is go-ycsb at loading its documents one by one, for it has no batches for MongoDB.
func (p programs) goYCSBLoad() contender {
	return contender{
		name: "go-ycsb, one by one", counters: inserts, collections: []string{loadTable},
		command: p.ycsb("load", ycsbThreads, 100, "recordcount="+strconv.Itoa(endless), "table="+loadTable),
	}
}

// pymongoLoad is pymongo's insert_many in one process.
func (p programs) pymongoLoad() contender {
	return contender{
		name: namePymongo, counters: inserts, databases: []string{"perfload"},
		command: process.Command{Path: p.python, Arguments: []string{p.pymongo, p.target, strconv.Itoa(loadBatch)}},
	}
}

// mongoimportLoad is mongoimport, fed by a pipe that never ends.
func (p programs) mongoimportLoad() contender {
	return contender{
		name: nameImport, counters: inserts, databases: []string{"perfload"},
		command: process.Command{
			Path: p.mongoimport, Input: func() io.Reader { return newFeed(loadBatch) }, Arguments: []string{
				"--uri", "mongodb://" + p.target, "--db", "perfload", "--collection", "mongoimport",
				"--numInsertionWorkers", "2", "--writeConcern", "{w: 1}", "--quiet",
			},
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
	// allProcessors leaves their number to Go, as it is without being set. Otherwise a workload has one.
	allProcessors bool
	// replayed has the reads sent as they are recorded.
	replayed bool
}

// ours is the load generator itself, with more arguments.
func (p programs) ours(m mode, more ...string) contender {
	scratch := filepath.Join(p.scratch, m.database)
	results := filepath.Join(scratch, "results")
	c := contender{
		name: m.title, counters: pointOperations, databases: []string{cmp.Or(m.database, presetDatabase)},
		command: process.Command{Path: p.loadgen, Arguments: append([]string{
			"run", "-f", filepath.Join(scratch, m.run), "--uri", "mongodb://" + p.target, "-o", results,
		}, more...)},
		write:  func(window time.Duration) error { return writeRun(scratch, m, window) },
		report: filepath.Join(results, "report.json"),
	}
	if m.client == clientDriver {
		c.rounds = driverRounds
	}
	if m.batch > 0 {
		c.counters, c.databases, c.report = inserts, []string{"perfload", presetDatabase}, ""
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
