// Package runtest holds what the tests of a run's decisions and of its controller have in common: a run, its target's
// status, and what load pods would answer. It is for tests only. It imports api and
// internal/result.
package runtest
