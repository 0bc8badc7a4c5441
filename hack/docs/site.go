package main

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// site is what was read of a built site.
type site struct {
	files fs.FS
	// pages by their path.
	pages map[string]webPage
}

// webPage is what a page has: the anchors that links may lead to, its own links, and what a browser fetches for it.
type webPage struct {
	anchors map[string]bool
	links   []string
	fetched []string
}

// readSite reads all pages of a folder.
func readSite(folder string) (site, error) {
	read := site{files: os.DirFS(folder), pages: map[string]webPage{}}
	err := fs.WalkDir(read.files, ".", func(name string, _ fs.DirEntry, err error) error {
		// What is in assets/ is not written here; 404.html has the addresses of a server's root.
		if err != nil || path.Ext(name) != ".html" || strings.HasPrefix(name, "assets/") || name == "404.html" {
			return err
		}
		file, err := read.files.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		root, err := html.Parse(file)
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		page := webPage{anchors: map[string]bool{}}
		for node := range root.Descendants() {
			page.add(node)
		}
		read.pages[name] = page
		return nil
	})
	if err == nil && len(read.pages) == 0 {
		err = fmt.Errorf("there is no page in %s", folder)
	}
	return read, err
}

func (p *webPage) add(node *html.Node) {
	for _, attribute := range node.Attr {
		switch {
		case attribute.Key == "id", attribute.Key == "name" && node.Data == "a":
			p.anchors[attribute.Val] = true
		case attribute.Key == "href" && node.Data == "a":
			p.links = append(p.links, attribute.Val)
		case attribute.Key == "href" && node.Data == "link", attribute.Key == "src":
			p.fetched = append(p.fetched, attribute.Val)
		}
	}
}

// links is how many there are within the site.
func (s site) links() int {
	count := 0
	for _, page := range s.pages {
		for _, link := range page.links {
			if !strings.Contains(link, "://") {
				count++
			}
		}
	}
	return count
}

// problems are what leads nowhere, and what is fetched from elsewhere, each with its page.
func (s site) problems() []string {
	var found []string
	for name, page := range s.pages {
		for _, address := range page.fetched {
			if strings.Contains(address, "://") || strings.HasPrefix(address, "//") {
				found = append(found, fmt.Sprintf("%s has browsers fetch %s", name, address))
			}
		}
		for _, address := range slices.Concat(page.links, page.fetched) {
			if problem := s.follow(name, address); problem != "" {
				found = append(found, fmt.Sprintf("%s: %s %s", name, address, problem))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// follow says what is wrong with an address within the site.
func (s site) follow(from, address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return "is not an address"
	}
	if parsed.Scheme != "" || parsed.Host != "" {
		return ""
	}
	to := from
	if parsed.Path != "" {
		to = path.Join(path.Dir(from), parsed.Path)
	}
	page, known := s.pages[to]
	if !known {
		if info, err := fs.Stat(s.files, to); err != nil || info.IsDir() {
			return "is not there"
		}
		return ""
	}
	if parsed.Fragment != "" && !page.anchors[parsed.Fragment] {
		return "has no such heading"
	}
	return ""
}
