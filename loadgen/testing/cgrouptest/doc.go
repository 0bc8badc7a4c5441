// Package cgrouptest limits the CPU of servers that tests start, by cgroups of either version. It is for tests only,
// and imports none of the project.
package cgrouptest
