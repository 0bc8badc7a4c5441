// Package drivertest is a database that does what a test's script says: it answers after a fixed time, stalls now and
// then, fails operations at intervals, and remembers everything that it was asked and given. So the engine is tested
// without a server, and under a fake clock to the microsecond.
//
// Portable is the other way round: it holds a real target against what every target has to do alike.
//
// It is for tests only. It implements the interfaces of package loadgen and imports it and the workload's requests.
package drivertest
