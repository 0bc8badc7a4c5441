// Package shown tests what the pages of docs/ and the README show. A fenced block says by its language, and a comment
// in the line before it, what becomes of it.
//
// A block of yaml is applied to a real API server, each of its documents, by a dry run. Before a block that is not
// whole stands one of these:
//
//	<!-- fragment of FILE at PATH -->   its keys replace those at PATH of a sample, and that is applied
//	<!-- chart values -->               helm renders the chart with them
//
// A block of console has its commands run, the lines that begin with "$ ", and each prints what follows it. In that,
// … within a line stands for any text, and a line of … alone for any lines. A command ends with 0, or not if this
// stands before its block; or every number, with its unit, may be another:
//
//	<!-- ends with an error -->
//	<!-- figures differ -->
//
// Commands run by bash, those of a page in one folder, where config/ and charts/ are. On their PATH are the programs
// of cmd/, helm and kubectl; the API server of the tests is the cluster, without an operator, and a real mongod
// answers at mongodb://127.0.0.1:27017. Blocks of no language, which may need an operator at work or other machines,
// are not run; those of docs/how-to/see-it.md are, in hack/e2e.
//
// Reports that the commands write are held against the JSON Schema.
package shown
