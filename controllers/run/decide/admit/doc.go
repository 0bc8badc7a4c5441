// Package admit says whether it is a run's turn: what the queue answered, what the status of the run remembers of that,
// and the words for both.
//
// It does not queue runs: package queue of controllers/internal does. It imports the API types and that package.
package admit
