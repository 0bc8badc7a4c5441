package decide

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// maxDatasets is how many datasets the status of a target holds.
const maxDatasets = 16

// datasets are those of a shared target's status, with what load pod 0 says of the one in the run's database; nil when
// there is nothing to change. The database itself has the last word: this is for people, and outlives the run.
func datasets(s *state) []benchv1alpha1.DatasetStatus {
	if s.inline() || s.Target == nil || s.Target.DeletionTimestamp != nil {
		return nil
	}
	first := s.load.First()
	if first.Dataset == nil {
		return nil
	}
	said := benchv1alpha1.DatasetStatus{
		Database: s.load.Plan.Database, Fingerprint: first.Dataset.Fingerprint,
		State: benchv1alpha1.DatasetState(first.Dataset.State), RunName: s.Run.Name,
	}
	known := slices.Clone(s.Target.Status.Datasets)
	at := slices.IndexFunc(known, func(d benchv1alpha1.DatasetStatus) bool { return d.Database == said.Database })
	switch {
	case at < 0:
		known = append(known, said)
		return known[max(0, len(known)-maxDatasets):]
	case known[at].Fingerprint == said.Fingerprint && known[at].State == said.State:
		// A run that finds a dataset as it was changes nothing.
		return nil
	}
	known[at] = said
	return known
}
