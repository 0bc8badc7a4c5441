// Package alarm wakes a goroutine at an instant. A sleep of Go's own ends up to a millisecond late in a process that
// has nothing else to do, since the runtime then waits for the network in whole milliseconds: half a millisecond of
// error in every latency that counts from a due time. On Linux an alarm is a timer of the kernel (timerfd) that the
// runtime waits for as it waits for replies, so that no thread and no processor is held while it runs. Measured here,
// idle, at 10,000 alarms a second: a sleep is 540 µs late (median; p99 1.1 to 2 ms), an alarm 7 µs (p99 20 to 270 µs)
// for 0.05 to 0.1 cores more.
//
// It knows nothing of schedules and imports the standard library only.
package alarm
