// Package punctual is a database whose every operation takes exactly as long as a test says: a timer of the kernel goes
// off, and the load generator notices that as it notices a reply, by Go's poller. The kernel notices a timer in an
// interrupt, however busy the machine is, so that whatever is reported beyond that time is the load generator's own.
//
// It is for tests only, and has no fake time: that is package drivertest's. It imports drivertest and alarm.
package punctual
