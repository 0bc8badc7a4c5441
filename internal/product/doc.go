// Package product says what a database product is to the operator: the interface that each implements in a folder of
// its own, and what all of them share. Package catalogue below it lists them.
//
// It is pure, and decides nothing about objects that every target has; controllers/target/decide does. It imports the
// API, the plan, internal/naming and internal/podspec.
package product
