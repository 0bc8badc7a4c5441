package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"
)

const (
	// noAssertion is said of what nobody looked into.
	noAssertion = "NOASSERTION"
	subjectID   = common.ElementID("Subject")
)

// subject is what a document is about: a file, or an image.
type subject struct {
	name, sha256, purpose string
}

func subjectOf(about string) (subject, error) {
	if image, digest, isImage := strings.Cut(about, "@sha256:"); isImage {
		return subject{name: image, sha256: digest, purpose: "CONTAINER"}, nil
	}
	content, err := os.ReadFile(about)
	if err != nil {
		return subject{}, fmt.Errorf("reading the subject: %w", err)
	}
	digest := sha256.Sum256(content)
	return subject{name: path.Base(about), sha256: hex.EncodeToString(digest[:]), purpose: "ARCHIVE"}, nil
}

// module is a Go module in a version.
type module struct{ path, version string }

// moduleOf is of the form PATH@VERSION.
func moduleOf(text string) module {
	name, version, _ := strings.Cut(text, "@")
	return module{name, version}
}

// modulesOf are the modules that the linker recorded in programs, and the library of their Go.
func modulesOf(programs []string) ([]module, error) {
	if len(programs) == 0 {
		return nil, errors.New("no programs are given")
	}
	found := map[module]bool{}
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return nil, fmt.Errorf("reading what %s was built from: %w", program, err)
		}
		found[module{"stdlib", strings.TrimPrefix(info.GoVersion, "go")}] = true
		for _, each := range info.Deps {
			if each.Replace != nil {
				each = each.Replace
			}
			found[module{each.Path, each.Version}] = true
		}
	}
	all := make([]module, 0, len(found))
	for each := range found {
		all = append(all, each)
	}
	slices.SortFunc(all, func(a, b module) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.version, b.version))
	})
	return all, nil
}

// notInID are the characters that an identifier of SPDX may not have.
var notInID = regexp.MustCompile(`[^a-zA-Z0-9.-]`)

// writeSBOM writes an SPDX document (https://spdx.github.io/spdx-spec/v2.3/) of what the subject contains.
func writeSBOM(to io.Writer, about subject, modules []module, created time.Time) error {
	document := spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName:      about.name,
		DocumentNamespace: repository + "/sbom/" + about.name + "-" + about.sha256,
		CreationInfo: &spdx.CreationInfo{
			Created:  created.UTC().Format(time.RFC3339),
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "mongobench hack/release"}},
		},
		Packages: []*spdx.Package{{
			PackageName: about.name, PackageSPDXIdentifier: subjectID, PrimaryPackagePurpose: about.purpose,
			PackageDownloadLocation: noAssertion, PackageCopyrightText: noAssertion,
			PackageLicenseConcluded: noAssertion, PackageLicenseDeclared: "Apache-2.0",
			PackageChecksums: []common.Checksum{{Algorithm: common.SHA256, Value: about.sha256}},
		}},
		Relationships: []*spdx.Relationship{
			related("DOCUMENT", subjectID, common.TypeRelationshipDescribe),
		},
	}
	for _, each := range modules {
		id := common.ElementID("Go-" + notInID.ReplaceAllString(each.path+"-"+each.version, "-"))
		document.Packages = append(document.Packages, &spdx.Package{
			PackageName: each.path, PackageSPDXIdentifier: id, PackageVersion: each.version,
			PrimaryPackagePurpose:   "LIBRARY",
			PackageDownloadLocation: noAssertion, PackageCopyrightText: noAssertion,
			PackageLicenseConcluded: noAssertion, PackageLicenseDeclared: noAssertion,
			PackageExternalReferences: []*spdx.PackageExternalReference{{
				Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL,
				Locator: "pkg:golang/" + each.path + "@" + each.version,
			}},
		})
		document.Relationships = append(document.Relationships, related(subjectID, id, common.TypeRelationshipContains))
	}
	if err := spdxjson.Write(&document, to, spdxjson.Indent(" ")); err != nil {
		return fmt.Errorf("writing the document: %w", err)
	}
	return nil
}

func related(from, to common.ElementID, how string) *spdx.Relationship {
	return &spdx.Relationship{
		RefA: common.DocElementID{ElementRefID: from}, RefB: common.DocElementID{ElementRefID: to}, Relationship: how,
	}
}
