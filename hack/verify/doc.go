// Command verify checks the rules of this repository that no linter knows: a doc.go in every package, the length of
// files, the methods of a type, package names, what a nolint comment may name, and what a program may depend on however
// far down. It refuses defaults outside of internal/spec, binary and large files, and actions of GitHub workflows that
// are not pinned by a commit. The conventions of the API types are for the Kubernetes API linter
// (hack/tools/golangci-lint) with the settings of api-linter.yml.
//
// It is not a linter framework: a rule that golangci-lint has belongs into .golangci.yml. It imports the standard
// library only, so that it runs before anything of the project compiles.
package main
