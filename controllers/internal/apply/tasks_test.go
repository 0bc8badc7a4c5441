package apply

import "testing"

func TestWhatAnObjectNeedsIsWrittenBefore(t *testing.T) {
	t.Parallel()
	for kind, needed := range map[string][]string{
		"RoleBinding": {"Role"},
		"StatefulSet": {"ServiceAccount", "Secret", "ConfigMap", "Service", "NetworkPolicy"},
		"Job":         {"ServiceAccount", "Secret", "ConfigMap"},
	} {
		for _, before := range needed {
			if waveOf(before) >= waveOf(kind) {
				t.Errorf("a %s is written with the wave %d, and a %s that needs it with %d", before, waveOf(before), kind,
					waveOf(kind))
			}
		}
	}
}
