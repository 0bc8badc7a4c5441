package result

import (
	"fmt"
	"slices"
	"strings"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// maxGatewayWaitShare is one in this much of the time of requests. What waits longer for a session of the gateway's
// pool is a tenth slower than it would be with a larger pool.
const maxGatewayWaitShare = 10

// mergeGateways puts together what several load pods saw of the same gateways. Each looked for as long as its own
// window was, so that the longest look is the one that counts.
func mergeGateways(merged, more []reportv1.Gateway) []reportv1.Gateway {
	merged = slices.Clone(merged)
	for _, gateway := range more {
		place := slices.IndexFunc(merged, func(known reportv1.Gateway) bool { return known.Name == gateway.Name })
		switch {
		case place < 0:
			merged = append(merged, gateway)
		case merged[place].Lost || gateway.Lost:
			merged[place].Lost = true
		case gateway.Requests > merged[place].Requests:
			merged[place] = gateway
		}
	}
	return merged
}

// gatewaySaturated doubts a step of which the service before the database, and not the database, may have been the
// limit.
func gatewaySaturated(step judged) doubtful {
	var worst doubtful
	for _, gateway := range step.Gateways {
		if found := saturatedGateway(step, gateway); found.severity > worst.severity {
			worst = found
		}
	}
	return worst
}

func saturatedGateway(step judged, gateway reportv1.Gateway) doubtful {
	throttled := time.Duration(gateway.ThrottledMicros) * time.Microsecond
	const advice = "so that it may have been the limit, not the database; give the gateway"
	found := func(severity int, what, more string) doubtful {
		return doubtful{int64(max(severity, 1)), fmt.Sprintf("step %q: gateway %s %s, %s %s", step.Name, gateway.Name, what,
			advice, more)}
	}
	switch {
	case gateway.Lost:
		return found(1, "did not answer for its part of the step, or was started anew", "more memory, and look at its log")
	case gateway.CPUPercent >= saturatedPercent:
		return found(gateway.CPUPercent, fmt.Sprintf("used %d %% of its CPU", gateway.CPUPercent),
			"more cpu, or more of them")
	case throttled*maxThrottledShare > step.Duration():
		return found(gateway.CPUPercent, fmt.Sprintf("was kept from running by its CPU limit for %s of %s",
			throttled.Round(time.Millisecond), step.Duration().Round(time.Millisecond)), "more cpu, or more of them")
	case gateway.RequestMicros > 0 && gateway.PoolWaitMicros*maxGatewayWaitShare > gateway.RequestMicros:
		percent := gateway.PoolWaitMicros * hundred / gateway.RequestMicros
		return found(int(percent), fmt.Sprintf("had requests wait for one of its %s for %d %% of their time, %s on average",
			present.Plural(int64(gateway.PoolSize), "session"), percent,
			present.Micros(gateway.PoolWaitMicros/max(gateway.Requests, 1))), "a larger pool")
	default:
		return doubtful{}
	}
}

// busyGateway is the service before the database, as the doubt sees it.
func busyGateway(e evidence) sighting {
	if found := gatewaySaturated(e.judged); found.severity > 0 {
		return sighting{reportv1.CertaintyLikely, strings.TrimPrefix(found.message, fmt.Sprintf("step %q: ", e.Name))}
	}
	return sighting{}
}
