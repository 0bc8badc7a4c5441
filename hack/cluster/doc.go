// Command cluster makes a local Kubernetes cluster out of what package registries hold, in namespaces of its own, and
// takes it down again without a trace. See README.md.
//
// It contains no Kubernetes code: it compiles and starts programs. Each command is a function in commands.go; what
// they do is in internal/.
package main
