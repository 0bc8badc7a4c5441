// Package target is the controller of BenchmarkTarget: it deploys what a target declares and says whether it is ready.
//
// It reads and writes; what should be is decided in package decide, which is pure. It never speaks to a database: the
// topology Job does. It imports its decide, controllers/internal and api.
package target
