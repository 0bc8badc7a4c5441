// Package process starts the programs that are measured and looks at them from outside. They die with this program,
// however that ends. It is for the programs under hack/perf, and imports of the project nothing.
package process
