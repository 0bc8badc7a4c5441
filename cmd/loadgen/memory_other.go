//go:build !linux

package main

import "math"

// machineMemory is not known here: GOMEMLIMIT alone bounds what a run may need.
func machineMemory() int64 { return math.MaxInt64 }
