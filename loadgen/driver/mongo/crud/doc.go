// Package crud says what requests are in the types of the driver's own methods: write models, stages, concerns.
//
// It sends nothing. It imports the driver, the plan, the workload's requests and package command.
package crud
