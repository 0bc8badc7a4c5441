// Package condition reads the conditions of flows, such as stock >= 10 && status == "open", and says whether one holds
// for given values. What a name stands for is found once, when a condition is bound, so that to ask whether it holds
// reads no text and allocates nothing.
//
// It is pure, and knows neither BSON nor where values come from. It imports the standard library.
package condition
