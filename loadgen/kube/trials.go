package kube

import (
	"context"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Trials have the pods of a search go through its trials together, through their own ConfigMaps. It is a
// loadgen.Trials.
type Trials struct {
	ConfigMaps *ConfigMaps
	// PodPrefix is what the names of the load pods' own ConfigMaps begin with, and Pod the index of this pod.
	PodPrefix string
	Pod       int

	// held says that this pod's ConfigMap holds what was measured in a trial.
	held bool
}

// forgetting bounds how long a pod that has heard of the next trial takes to forget the last one. It is a part of the
// time until the start.
const forgetting = 300 * time.Millisecond

func (t *Trials) configMap(pod int) string { return t.PodPrefix + strconv.Itoa(pod) }

// Order tells the other pods what comes next.
func (t *Trials) Order(ctx context.Context, order reportv1.TrialOrder) error {
	encoded, err := reportv1.EncodeTrial(order)
	if err != nil {
		return err
	}
	return t.ConfigMaps.deliver(ctx, t.configMap(0), contents{
		BinaryData: map[string][]byte{reportv1.TrialOrderKey: encoded},
	})
}

// Next waits for what comes after an order. What was measured before was read by then: left where it is, it would be
// stored again with each progress.
func (t *Trials) Next(ctx context.Context, step, after int) (order reportv1.TrialOrder, err error) {
	err = t.ConfigMaps.await(ctx, t.configMap(0), func(configMap *corev1.ConfigMap) (bool, error) {
		encoded := configMap.BinaryData[reportv1.TrialOrderKey]
		if len(encoded) == 0 {
			return false, nil
		}
		order, err = reportv1.DecodeTrial[reportv1.TrialOrder](encoded)
		return order.Step == step && order.Number > after, err
	})
	if err == nil && t.held {
		forget, cancel := context.WithTimeout(ctx, forgetting)
		defer cancel()
		gone := contents{BinaryData: map[string][]byte{reportv1.TrialMeasuredKey: nil}}
		t.held = t.ConfigMaps.patch(forget, t.configMap(t.Pod), gone) != nil
	}
	return order, err
}

// Answer says what this pod has done. What it said before is gone: a report, which comes when all steps have ended, has
// the ConfigMap for itself.
func (t *Trials) Answer(ctx context.Context, answer reportv1.TrialAnswer) error {
	encoded, err := reportv1.EncodeTrial(answer)
	if err != nil {
		return err
	}
	set := contents{BinaryData: map[string][]byte{reportv1.TrialAnswerKey: encoded, reportv1.TrialMeasuredKey: nil}}
	if set.BinaryData[reportv1.TrialMeasuredKey], err = result.EncodeTrial(answer.Measured); err != nil {
		return err
	}
	t.held = answer.Measured != nil
	return t.ConfigMaps.deliver(ctx, t.configMap(t.Pod), set)
}

// Answered waits for what a pod says of an order.
func (t *Trials) Answered(
	ctx context.Context, pod int, order reportv1.TrialOrder,
) (answer reportv1.TrialAnswer, err error) {
	err = t.ConfigMaps.await(ctx, t.configMap(pod), func(configMap *corev1.ConfigMap) (bool, error) {
		encoded := configMap.BinaryData[reportv1.TrialAnswerKey]
		if len(encoded) == 0 {
			return false, nil
		}
		answer, err = reportv1.DecodeTrial[reportv1.TrialAnswer](encoded)
		if err != nil || answer.Step != order.Step || answer.Number != order.Number {
			return false, err
		}
		answer.Measured, err = result.DecodeTrial(configMap.BinaryData[reportv1.TrialMeasuredKey])
		return true, err
	})
	return answer, err
}
