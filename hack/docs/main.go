package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 2 && arguments[0] == "check":
		return check(arguments[1])
	case len(arguments) == 2 && arguments[0] == "reference":
		return writeReference(arguments[1])
	default:
		return errors.New("say check SITE, or reference REPOSITORY")
	}
}

// check follows the links of a built site.
func check(folder string) error {
	site, err := readSite(folder)
	if err != nil {
		return err
	}
	if problems := site.problems(); len(problems) > 0 {
		return fmt.Errorf("%s:\n%s", folder, strings.Join(problems, "\n"))
	}
	fmt.Printf("docs: %d pages have %d links to pages, headings and files of the site, and all lead somewhere\n",
		len(site.pages), site.links())
	return nil
}
