// Command docs makes pages of the documentation, and checks the site that is built of them.
//
//	docs check FOLDER          every link of a built site, with its anchor, leads to something that is there, and
//	                           no page has a browser fetch anything from elsewhere
//	docs reference REPOSITORY  writes the pages of docs/reference that are made of sources: flags from the help of
//	                           programs, values from the comments of the chart, the schema of reports from Go types
//
// Beside it lie the site's own files: mkdocs.yml, hooks.py, build.sh, which builds it, and what is looked at in a
// browser. What the pages show is tested in the package shown.
//
// It is a module of its own because nothing that ships needs what it needs: github.com/invopop/jsonschema makes a
// JSON Schema of Go types and their comments; github.com/santhosh-tekuri/jsonschema/v6, written by others, validates
// by it; and go.yaml.in/yaml/v3 reads the comments of a file.
package main
