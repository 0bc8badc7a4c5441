package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

const prometheusPort = "9090"

// Prometheus is a real Prometheus in the cluster.
type Prometheus struct{ cluster *Cluster }

// Series is one series of an answer.
type Series struct {
	Labels map[string]string
	// Value is the last one, where there are several.
	Value float64
}

// Alert is one that Prometheus has raised.
type Alert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	// State is pending or firing.
	State string `json:"state"`
}

// Alerts are all that stand now.
func (p *Prometheus) Alerts(ctx context.Context) ([]Alert, error) {
	body, err := p.Read(ctx, "alerts", nil)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data struct {
			Alerts []Alert `json:"alerts"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("reading Prometheus' alerts: %w: %.300s", err, body)
	}
	return answer.Data.Alerts, nil
}

// Instant asks for the value of a query now.
func (p *Prometheus) Instant(ctx context.Context, query string) ([]Series, error) {
	return p.ask(ctx, "query", map[string]string{"query": query})
}

// Range asks for the values of a query over the last time, one a step.
func (p *Prometheus) Range(ctx context.Context, query string, over, step time.Duration) ([]Series, error) {
	now := time.Now()
	return p.ask(ctx, "query_range", map[string]string{
		"query": query,
		"start": strconv.FormatInt(now.Add(-over).Unix(), 10),
		"end":   strconv.FormatInt(now.Unix(), 10),
		"step":  step.String(),
	})
}

func (p *Prometheus) ask(ctx context.Context, call string, parameters map[string]string) ([]Series, error) {
	body, err := p.Read(ctx, call, parameters)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data struct {
			Result []struct {
				Metric map[string]string `json:"metric"`
				// Value is a time and a number written as text; Values are several of them.
				Value  [2]any   `json:"value"`
				Values [][2]any `json:"values"`
			} `json:"result"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("reading Prometheus' answer to %s: %w: %.300s", parameters["query"], err, body)
	}
	all := make([]Series, 0, len(answer.Data.Result))
	for _, one := range answer.Data.Result {
		if len(one.Values) > 0 {
			one.Value = one.Values[len(one.Values)-1]
		}
		value, err := strconv.ParseFloat(fmt.Sprint(one.Value[1]), 64)
		if err != nil {
			return nil, fmt.Errorf("reading Prometheus' answer to %s: %w", parameters["query"], err)
		}
		all = append(all, Series{Labels: one.Metric, Value: value})
	}
	return all, nil
}

// Read makes a call of Prometheus' HTTP API, such as targets, and returns the answer as it is.
func (p *Prometheus) Read(ctx context.Context, call string, parameters map[string]string) ([]byte, error) {
	body, err := p.cluster.Typed.CoreV1().Pods(monitoringNamespace).ProxyGet(
		"http", prometheusPod, prometheusPort, "/api/v1/"+call, parameters).DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking Prometheus, %s of %q: %w: %.300s", call, parameters["query"], err, body)
	}
	return body, nil
}
