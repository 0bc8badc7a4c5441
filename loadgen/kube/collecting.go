package kube

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Reports are the ConfigMaps that the reports of a run go through. It is a collect.Source, a collect.Store and a
// collect.Teller.
type Reports struct {
	ConfigMaps *ConfigMaps
	// PodPrefix is what the names of the load pods' own ConfigMaps begin with.
	PodPrefix string
	// Merged is the name of the ConfigMap of the merged report, and Collected of the one in which the operator is told
	// what it comes to. The operator has made both.
	Merged, Collected string
	Log               *slog.Logger
}

// Report reads what a load pod handed in.
func (r *Reports) Report(ctx context.Context, pod int) (name string, encoded []byte, err error) {
	name = r.PodPrefix + strconv.Itoa(pod)
	err = persist(ctx, func(ctx context.Context) error {
		configMap, err := r.ConfigMaps.get(ctx, name)
		switch {
		case apierrors.IsNotFound(err): // It is no report, like an empty one.
			return nil
		case err != nil:
			return err
		}
		encoded = configMap.BinaryData[reportv1.ReportKey]
		return nil
	})
	return "ConfigMap " + name, encoded, err
}

// Put stores the merged report, and its digest beside it.
func (r *Reports) Put(ctx context.Context, encoded []byte) (reportv1.Stored, error) {
	err := r.write(ctx, r.Merged, contents{
		Data:       map[string]*string{reportv1.DigestKey: new(result.Digest(encoded))},
		BinaryData: map[string][]byte{reportv1.ReportKey: encoded},
	})
	return reportv1.Stored{ConfigMapName: r.Merged}, err
}

// Tell tells the operator, and takes back what kept the report from being stored.
func (r *Reports) Tell(ctx context.Context, encoded []byte) error {
	return r.write(ctx, r.Collected, contents{Data: map[string]*string{
		reportv1.CollectedKey: new(string(encoded)), reportv1.TroubleKey: nil, reportv1.MissingKey: nil,
	}})
}

// write writes until it can, and has the operator tell people what keeps it from it.
func (r *Reports) write(ctx context.Context, name string, set contents) error {
	return insist(ctx, func() error { return r.ConfigMaps.patch(ctx, name, set) }, func(trouble error) {
		r.Log.Warn("The report cannot be stored yet", "error", trouble)
		said := map[string]*string{reportv1.TroubleKey: new(cut(trouble.Error())), reportv1.MissingKey: nil}
		if apierrors.IsNotFound(trouble) {
			said[reportv1.MissingKey] = &name
		}
		if err := r.ConfigMaps.patch(ctx, r.Collected, contents{Data: said}); err != nil {
			r.Log.Warn("The operator cannot be told what keeps the report", "error", err)
		}
	})
}

// maxTrouble is how much is told of what keeps a report.
const maxTrouble = 1 << 10

func cut(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxTrouble)], "") }

// The pause between two attempts to write what must not be lost grows from the first of these to the second.
const (
	firstPause = 250 * time.Millisecond
	lastPause  = 10 * time.Second
)

// insist writes until it can: a quota, a policy or an object that somebody deleted can be mended by people, a
// measurement cannot be made again. Only what no attempt can change is an error, and the end of the context. It calls a
// function with what keeps it from it, whenever that is something else than before.
func insist(ctx context.Context, write func() error, troubled func(error)) error {
	told := ""
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := write()
		if err == nil || apierrors.IsRequestEntityTooLargeError(err) {
			return err
		}
		if err.Error() != told && ctx.Err() == nil {
			told = err.Error()
			troubled(err)
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}
