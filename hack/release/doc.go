// Command release writes those files of a release that tell what the others are: of what they are made (SPDX), and
// from which commit they were built (an in-toto statement of SLSA provenance, signed). build.sh, which make release
// calls, makes all others, and calls this program; source.sh and programs.sh are its parts.
//
// It imports spdx/tools-golang, which knows the format of SPDX documents, sigs.k8s.io/yaml, and the standard library.
package main
