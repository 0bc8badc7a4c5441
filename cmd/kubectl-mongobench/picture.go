package main

import (
	"io"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/page"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/picture"
)

// The forms that are pictures, of a run and of a suite.
const (
	formSVG = "svg"
	formPNG = "png"
)

// drawRun writes the picture of a run.
func drawRun(to io.Writer, run page.Source, write func(picture.Picture, io.Writer) error) error {
	drawn, err := picture.Run(run.Name, run.Report)
	if err != nil {
		return err
	}
	return write(drawn, to)
}

// drawSuite writes the picture of a suite.
func drawSuite(to io.Writer, stored cluster.Stored, write func(picture.Picture, io.Writer) error) error {
	drawn, err := picture.Suite(stored)
	if err != nil {
		return err
	}
	return write(drawn, to)
}
