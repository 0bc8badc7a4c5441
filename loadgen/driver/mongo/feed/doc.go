// Package feed waits for the news of change streams and tailing cursors, and says what of the wait is a time.
//
// Sessions open the readers. It imports the driver, the classes of its errors, the workload's requests, the alarm, and
// package exchange for the clock of the primary.
package feed
