package gateway_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/gateway"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

const secret = "a-secret-of-enough-characters"

// measuring is a plan of a step that reads and inserts so many times.
func measuring(pods, threads int, count int64) planv1.Plan {
	key := planv1.Parameter{Name: "key", Value: planv1.Value{
		Type: benchv1alpha1.GeneratorLong, Seed: 7, Max: 1_000_000,
		Distribution: planv1.Distribution{Type: string(benchv1alpha1.DistributionUniform)},
	}}
	read := planv1.Operation{Name: "read", Weight: 3, Parameters: []planv1.Parameter{key}}
	read.Kind, read.Collection, read.Filter = benchv1alpha1.OperationFindOne, "events", `{"_id": {"$param": "key"}}`
	insert := planv1.Operation{Name: "insert", Weight: 1}
	insert.Kind, insert.Collection = benchv1alpha1.OperationInsertOne, "events"
	return planv1.Plan{
		Version: planv1.Version, Seed: 5, Pods: pods, Database: "bench",
		Gateway: &planv1.Gateway{OperationsPerRequest: 1, PoolSize: 3},
		Collections: []planv1.Collection{{
			Name: "events", DocumentCount: 100,
			Fields: []planv1.Field{{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}}},
		}},
		Steps: []planv1.Step{{
			Name: "mixed", Kind: planv1.StepMeasure, Threads: threads, OperationCount: count,
			Operations: []planv1.Operation{read, insert},
		}},
	}
}

// served is a gateway to a scripted database, and its address.
func served(t *testing.T, plan planv1.Plan, target loadgen.Target) (*gateway.Server, string) {
	t.Helper()
	server, err := gateway.Listen(t.Context(), "127.0.0.1:0", gateway.Config{
		Plan: plan, Target: target, Secret: secret, Patience: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server, "http://" + server.Address()
}

// through follows a plan through gateways, with all that is not measured at direct, and returns what all pods measured.
func through(t *testing.T, plan planv1.Plan, direct loadgen.Target, gateways ...string) reportv1.Report {
	t.Helper()
	pods := drivertest.Pods(plan, direct)
	for _, pod := range pods {
		pod.Through = dialled(t, plan, gateways...)
	}
	return merged(t, pods)
}

func merged(t *testing.T, pods []*engine.Engine) reportv1.Report {
	t.Helper()
	reports, err := drivertest.Follow(t.Context(), pods)
	if err != nil {
		t.Fatal(err)
	}
	report, err := result.Merge(reports)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func dialled(t *testing.T, plan planv1.Plan, gateways ...string) *gateway.Client {
	t.Helper()
	client, err := gateway.Dial(t.Context(), plan, gateway.Options{
		Gateways: gateways, Secret: secret, OperationTimeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// What is asked of the database is the same without a gateway and through one or two, however many pods there are.
func TestAGatewaySendsWhatTheLoadWouldSendItself(t *testing.T) {
	const count = 400
	direct := &drivertest.Target{}
	merged(t, drivertest.Pods(measuring(1, 8, count), direct))
	if direct.Executed() != count {
		t.Fatalf("%d operations without a gateway, want %d", direct.Executed(), count)
	}
	for name, tc := range map[string]struct{ pods, gateways int }{
		"one pod, one gateway":    {1, 1},
		"four pods, two gateways": {4, 2},
	} {
		t.Run(name, func(t *testing.T) {
			behind, step := throughSome(t, measuring(tc.pods, 8, count), tc.gateways)
			if diff := cmp.Diff(direct.Requests(), behind.Requests()); diff != "" {
				t.Errorf("requests without and with a gateway (-want +got):\n%s", diff)
			}
			if len(step.Gateways) != tc.gateways || step.Client != "gateway by script" {
				t.Errorf("%d gateways, sent by %q", len(step.Gateways), step.Client)
			}
			if step.Traffic.BytesIn == 0 || step.Traffic.BytesOut == 0 {
				t.Errorf("traffic %+v, want that with the gateways", step.Traffic)
			}
		})
	}
}

// Load generators with one worker each do not all have the first gateway.
func TestLoadGeneratorsBeginWithDifferentGateways(t *testing.T) {
	plan := measuring(3, 1, 1)
	var behind [2]drivertest.Target
	addresses := make([]string, len(behind))
	for place := range behind {
		_, addresses[place] = served(t, plan, &behind[place])
	}
	for pod := range 3 {
		client, err := gateway.Dial(t.Context(), plan, gateway.Options{
			Gateways: addresses, Secret: secret, Offset: pod, OperationTimeout: time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		session, err := client.Session(t.Context(), loadgen.Use{Step: plan.Steps[0]})
		if err != nil {
			t.Fatal(err)
		}
		if err := session.Execute(t.Context(), &workload.Request{}, &loadgen.Reply{}); err != nil {
			t.Fatal(err)
		}
		session.Close()
	}
	if first, second := behind[0].Executed(), behind[1].Executed(); first != 2 || second != 1 {
		t.Errorf("of three load generators %d and %d went to the two gateways, want 2 and 1", first, second)
	}
}

// throughSome follows a plan through so many gateways to one scripted database, and nothing past them.
func throughSome(t *testing.T, plan planv1.Plan, gateways int) (behind *drivertest.Target, step reportv1.Step) {
	t.Helper()
	behind, beside := &drivertest.Target{}, &drivertest.Target{}
	addresses := make([]string, gateways)
	for place := range addresses {
		_, addresses[place] = served(t, plan, behind)
	}
	report := through(t, plan, beside, addresses...)
	if beside.Executed() != 0 {
		t.Errorf("%d operations did not go through the gateway", beside.Executed())
	}
	return behind, report.Steps[0]
}

func TestARequestOfSeveralOperationsIsOneOfTheResult(t *testing.T) {
	const count, each = 100, 4
	plan, behind := measuring(1, 4, count), &drivertest.Target{Latency: 2 * time.Millisecond}
	plan.Gateway.OperationsPerRequest = each
	_, address := served(t, plan, behind)
	report := through(t, plan, &drivertest.Target{}, address)
	if behind.Executed() != count*each {
		t.Errorf("%d operations of the database, want %d", behind.Executed(), count*each)
	}
	for request, times := range behind.Requests() {
		if times != 1 {
			t.Errorf("%q was sent %d times, want each operation to be drawn by itself", request, times)
		}
	}
	checkRequests(t, report, count, each)
	for _, seen := range report.Steps[0].Gateways {
		if seen.Lost || seen.OperationsPerRequest != each || seen.PoolSize != 3 || seen.Requests < 1 {
			t.Errorf("the gateway says %+v", seen)
		}
	}
}

// checkRequests checks that so many requests are the operations of a result, with the documents and the time of each of
// their operations, which take 2 ms.
func checkRequests(t *testing.T, report reportv1.Report, count, each int64) {
	t.Helper()
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	overall := summary.Steps[0].Overall
	if overall.Count != count || overall.Documents != count*each {
		t.Errorf("%d requests with %d documents, want %d and %d", overall.Count, overall.Documents, count, count*each)
	}
	database := overall.DatabaseTime
	if database == nil || database.Timed != count || database.P50Micros < each*2000 ||
		database.P50Micros > overall.P50Micros || database.MeanMicros > overall.MeanMicros {
		t.Errorf("the database took %+v of %+v, want %d times at least %d µs each, and a part of it", database,
			overall.TimesSummary, count, each*2000)
	}
}

func TestFailuresOfTheDatabaseKeepTheirClass(t *testing.T) {
	plan, behind := measuring(1, 2, 100), &drivertest.Target{FailEvery: 10}
	_, address := served(t, plan, behind)
	report := through(t, plan, &drivertest.Target{}, address)
	failed := int64(0)
	for _, operation := range report.Steps[0].Operations {
		failed += operation.Errors
		for _, class := range operation.ErrorClasses {
			if class.Class != drivertest.Class || strings.Contains(class.FirstMessage, "secret") {
				t.Errorf("class %+v, want %s without a secret", class, drivertest.Class)
			}
		}
	}
	if failed != 10 {
		t.Errorf("%d failures, want 10", failed)
	}
}

func TestAGatewayThatIsLostIsSaidSo(t *testing.T) {
	plan := measuring(1, 2, 200)
	var server *gateway.Server
	var address string
	var answered atomic.Int64
	lost := make(chan struct{})
	behind := &drivertest.Target{Answer: func(*workload.Request, *loadgen.Reply) {
		switch number := answered.Add(1); {
		case number == 50:
			go func() {
				_ = server.Close()
				close(lost)
			}()
		case number > 50:
			<-lost
		}
	}}
	server, address = served(t, plan, behind)
	report := through(t, plan, &drivertest.Target{}, address)
	step := report.Steps[0]
	if len(step.Gateways) != 1 || !step.Gateways[0].Lost {
		t.Fatalf("gateways %+v, want the one that was lost", step.Gateways)
	}
	classes := map[string]bool{}
	for _, operation := range step.Operations {
		for _, class := range operation.ErrorClasses {
			classes[class.Class] = true
		}
	}
	if !cmp.Equal(classes, map[string]bool{"network": true}) {
		t.Errorf("classes %v, want network alone", classes)
	}
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, doubt := range doubts {
		if doubt.Reason == benchv1alpha1.ReasonGatewaySaturated && strings.Contains(doubt.Message, "did not answer") {
			return
		}
	}
	t.Errorf("doubts %+v, want the gateway in them", doubts)
}

func TestWhatIsNotOfTheRunIsRefused(t *testing.T) {
	plan, target := measuring(1, 1, 10), &drivertest.Target{}
	_, address := served(t, plan, target)
	token := tokenOf(t, plan)
	for name, tc := range map[string]struct {
		body, token string
		status      int
	}{
		"no token":               {`{"part":"mixed","number":1,"operations":1}`, "", http.StatusUnauthorized},
		"another token":          {`{"part":"mixed","number":1,"operations":1}`, "guess", http.StatusUnauthorized},
		"another step":           {`{"part":"other","number":1,"operations":1}`, token, http.StatusBadRequest},
		"no operation":           {`{"part":"mixed","number":1,"operations":0}`, token, http.StatusBadRequest},
		"too many operations":    {`{"part":"mixed","number":1,"operations":1001}`, token, http.StatusBadRequest},
		"a number below 0":       {`{"part":"mixed","number":-1,"operations":1}`, token, http.StatusBadRequest},
		"a number beyond all":    {`{"part":"mixed","number":1099511627776,"operations":1}`, token, http.StatusBadRequest},
		"another field":          {`{"part":"mixed","command":{"drop":"events"}}`, token, http.StatusBadRequest},
		"a large body":           {`{"part":"` + strings.Repeat("x", 8<<10) + `"}`, token, http.StatusBadRequest},
		"no JSON":                {`drop`, token, http.StatusBadRequest},
		"one that is of the run": {`{"part":"mixed","number":1,"operations":1}`, token, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			if status, said := asked(t, address+"/v1/execute", tc.token, tc.body); status != tc.status {
				t.Errorf("%d: %s, want %d", status, said, tc.status)
			}
		})
	}
	if target.Executed() != 1 {
		t.Errorf("%d operations came to the database, want the one that is of the run", target.Executed())
	}
}

// asked posts a request by hand, and returns the answer to it.
func asked(t *testing.T, address, token, body string) (status int, said string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	content, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(content)
}

func TestDialSaysWhatIsWrong(t *testing.T) {
	plan := measuring(1, 1, 10)
	other := measuring(1, 1, 10)
	other.Seed++
	_, address := served(t, plan, &drivertest.Target{})
	direct := measuring(1, 1, 10)
	direct.Gateway = nil
	dated := measuring(1, 1, 10)
	dated.Collections[0].Fields[0].FromLoad = true
	dial := func(ctx context.Context, plan planv1.Plan, secret, address string) error {
		client, err := gateway.Dial(ctx, plan, gateway.Options{Gateways: []string{address}, Secret: secret})
		if err != nil {
			return err
		}
		_, err = client.Session(ctx, loadgen.Use{Step: plan.Steps[0]})
		return err
	}
	for name, tc := range map[string]struct {
		plan                  planv1.Plan
		secret, address, want string
	}{
		"another secret":    {plan, "guess", address, "the token is missing, or that of another gateway"},
		"another run":       {other, secret, address, "the token is missing, or that of another gateway"},
		"a direct run":      {direct, secret, address, "does not go through a gateway"},
		"dates of the load": {dated, secret, address, "dates that count from the load"},
		"no scheme":         {plan, secret, "localhost:7080", "give http://HOST:PORT"},
		"with a path":       {plan, secret, address + "/v1", "give http://HOST:PORT"},
		"nobody listens":    {plan, secret, "http://127.0.0.1:1", "gateway 127.0.0.1:1"},
	} {
		if err := dial(t.Context(), tc.plan, tc.secret, tc.address); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	plan.Pods, plan.Processors = 9, 3
	if err := dial(t.Context(), plan, secret, address); err != nil {
		t.Errorf("how many pods follow a plan is not the gateway's: %v", err)
	}
}

// tokenOf is what a load generator of a plan shows.
func tokenOf(t *testing.T, plan planv1.Plan) string {
	t.Helper()
	shown := make(chan string, 1)
	other := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		shown <- strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")
		_, _ = io.WriteString(answer, "{}")
	}))
	defer other.Close()
	dialled(t, plan, other.URL)
	return <-shown
}
