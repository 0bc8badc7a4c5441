package main

import (
	"fmt"
	"slices"
	"strconv"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
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

	nameFloor1   = "floor, 1 connection"
	nameFloor2   = "floor, 2 connections"
	nameLoad1    = "loadgen, 1 thread"
	nameLoad2    = "loadgen, 2 threads"
	nameOurs     = "loadgen"
	nameDriver   = "loadgen, driver"
	nameGoYCSB   = "go-ycsb"
	namePymongo  = "pymongo insert_many"
	nameImport   = "mongoimport, 2 workers"
	namePoints1  = "floor, GOMAXPROCS=1"
	namePoints2  = "floor, GOMAXPROCS=2"
	openLoopRate = 10_000
)

// driverRounds is how often the driver is measured, which is here to be seen and in no figure.
const driverRounds = 2

const (
	clientAuto   = string(benchv1alpha1.ClientAuto)
	clientDriver = string(benchv1alpha1.ClientDriver)
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
				title: nameOurs, client: clientAuto, run: pointsFile, threads: ycsbThreads, reads: 100,
				batch: ycsbBatch,
			}),
			p.goYCSBLoad(),
		}},
		{
			name: raceOpenLoop, title: "YCSB C, open loop, " + strconv.Itoa(openLoopRate) + " due a second",
			contenders: []contender{p.ours(mode{
				title: nameOurs, client: clientAuto, run: pointsFile, threads: 64, reads: 100, rate: openLoopRate,
			})},
		},
		p.observingRace(),
	}
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
		loading(nameLoad1, clientAuto, 1),
		p.floor(nameFloor2, 2, inserts, "load", "--connections", "2"),
		loading(nameLoad2, clientAuto, 2),
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
	ours := mode{title: nameOurs, client: clientAuto, run: pointsFile, threads: threads, reads: reads}
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
