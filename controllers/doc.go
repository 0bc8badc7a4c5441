// Package controllers puts the controllers of every kind together, and says what of a cluster they hold in memory, for
// the program that runs them.
//
// What a controller does is in the packages below. It imports those, controllers/internal, api and controller-runtime.
package controllers
