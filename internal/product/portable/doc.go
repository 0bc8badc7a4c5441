// Package portable is the part of a plan that a database of tables can do as it is: collections whose documents are
// rows, and operations that are one statement each. Bind and Table translate what fits and refuse the rest, with the
// field that has to be changed; nothing is emulated, for what is measured would be the emulation.
//
// The validation refuses by it before a run begins, and the drivers of such databases prepare their statements from it,
// so that the two never disagree. It knows neither SQL nor a driver, and no values: these are drawn while a step is
// measured. It imports the API, the plan and the standard library.
package portable
