package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"sigs.k8s.io/yaml"
)

const usage = `usage: release COMMAND

  sbom -created SECONDS -subject FILE|IMAGE@DIGEST [-also MODULE@VERSION] PROGRAM...
                        print as an SPDX document what a file or an image that holds Go programs is made of
  provenance -key FILE -version V -commit SHA -created SECONDS -registry R SHA256SUMS
                        print a signed statement of what the files of a list of sums were built from
  json FILE             print a YAML file as JSON
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 0 {
		return fmt.Errorf("no command given\n%s", usage)
	}
	switch rest := arguments[1:]; arguments[0] {
	case "sbom":
		return printSBOM(rest)
	case "provenance":
		return printProvenance(rest)
	case "json":
		return printJSON(rest)
	default:
		return fmt.Errorf("unknown command %q\n%s", arguments[0], usage)
	}
}

func printSBOM(arguments []string) error {
	flags := flag.NewFlagSet("sbom", flag.ContinueOnError)
	created := flags.Int64("created", 0, "when it was committed, in seconds of Unix time")
	about := flags.String("subject", "", "the file, or the image with its digest")
	also := flags.String("also", "", "a module of which an image has something besides its programs")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	subject, err := subjectOf(*about)
	if err != nil {
		return err
	}
	modules, err := modulesOf(flags.Args())
	if err != nil {
		return err
	}
	if *also != "" {
		modules = append(modules, moduleOf(*also))
	}
	return writeSBOM(os.Stdout, subject, modules, time.Unix(*created, 0))
}

func printProvenance(arguments []string) error {
	var b build
	flags := flag.NewFlagSet("provenance", flag.ContinueOnError)
	key := flags.String("key", "", "private key to sign with: ECDSA on P-256, as PEM")
	flags.StringVar(&b.Version, "version", "", "version of the release")
	flags.StringVar(&b.Commit, "commit", "", "commit that it was built from")
	flags.StringVar(&b.Registry, "registry", "", "registry that its manifests name")
	created := flags.Int64("created", 0, "when it was committed, in seconds of Unix time")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("provenance needs one list of sums")
	}
	b.Created = time.Unix(*created, 0)
	sums, err := os.ReadFile(flags.Arg(0))
	if err != nil {
		return fmt.Errorf("reading the sums: %w", err)
	}
	private, err := readKey(*key)
	if err != nil {
		return err
	}
	signed, err := b.provenance(sums, private)
	if err != nil {
		return err
	}
	_, err = fmt.Printf("%s\n", signed)
	return err
}

func printJSON(arguments []string) error {
	if len(arguments) != 1 {
		return errors.New("json needs one file")
	}
	content, err := os.ReadFile(arguments[0])
	if err != nil {
		return fmt.Errorf("reading YAML: %w", err)
	}
	converted, err := yaml.YAMLToJSON(content)
	if err != nil {
		return fmt.Errorf("%s: %w", arguments[0], err)
	}
	_, err = os.Stdout.Write(converted)
	return err
}
