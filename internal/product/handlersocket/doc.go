// Package handlersocket says how HandlerSocket does what a table can do, and what it cannot: a statement of the
// portable subset is one walk along one index, from a key on, in the index's order.
//
//	key         the columns that an index begins with: equal ones, then at most one more with a bound
//	W filter    a condition that ends the walk with the first row that does not meet it
//	F filter    a condition that leaves out the rows that do not meet it
//
// A walk begins at a key, so that a statement without one has nowhere to begin: it is refused, and so is an order that
// is not the index's.
//
// It is pure: the validation of a run and the load generator's client ask the same function. It imports the API, the
// plan and the portable operations.
package handlersocket
