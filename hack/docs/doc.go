// Command docs checks a built documentation site: every link of its pages, with its anchor, leads to something that is
// there, and no page has a browser fetch anything from elsewhere.
//
//	docs FOLDER
//
// Its tests check what the pages in docs/ and the README show. A fenced block says by its language, and a comment in the
// line before it, what becomes of it:
//
//	```yaml       is applied to a real API server, each of its documents, by a server-side dry run
//	<!-- fragment of FILE at PATH --> before it: its keys replace those at PATH of a sample, and that is applied
//	<!-- chart values --> before it: helm renders the chart with them
//	```console    has its commands, the lines that begin with "$ ", run; each prints what follows it
//	<!-- on a cluster --> before it: the commands need an operator at work, and are not run here
//
// In what a command prints, … in a line stands for any text, and a line of … alone for any lines. Commands run in a copy
// of the checkout's config/ and charts/, with the programs of cmd/ and helm at hand, kubectl's if the machine has one,
// the API server as the cluster, and a real mongod at mongodb://127.0.0.1:27017. Blocks of a page share a folder.
//
// It also makes three pages of the reference, which make generate writes: the schema of reports from the types of
// api/report, and the chart's values from the comments of values.yaml.
//
// It is a module of its own because nothing that ships needs what it needs: github.com/invopop/jsonschema makes the JSON
// Schema of Go types and their comments, and github.com/santhosh-tekuri/jsonschema/v6, which is another's, validates with it.
package main
