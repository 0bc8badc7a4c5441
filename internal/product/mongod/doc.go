// Package mongod knows the arguments and parameters of mongod that the operator gives itself, or that a field of a
// target stands for: since and until which version there is each, which storage engines have it, and what to write
// instead of it. The target controller gives members nothing that is not in this table, and the validation refuses what
// is.
//
// It also knows since when there is what a collection or an index is declared with.
//
// It is a table and the few words to read it. What is given to which member is decided in internal/product/mongodb. It
// imports the API, the plan and internal/product.
package mongod
