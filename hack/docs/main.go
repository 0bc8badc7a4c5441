package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "docs: say which folder the site is in")
		os.Exit(2)
	}
	site, err := readSite(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
	problems := site.problems()
	for _, problem := range problems {
		fmt.Fprintln(os.Stderr, "docs:", problem)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
	fmt.Printf("docs: %d pages have %d links to pages, headings and files of the site, and all lead somewhere\n",
		len(site.pages), site.links())
}
