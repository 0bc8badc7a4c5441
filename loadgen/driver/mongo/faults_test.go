package mongo_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// counted is a target that counts the operations that its sessions are given, and notes when those that succeeded were
// under way.
type counted struct {
	*mongo.Target
	mutex     sync.Mutex
	attempts  int64
	successes []success
}

type success struct {
	began, ended time.Time
}

// Partition has nothing to end: a member that stands still, which is what is played here, does not refuse connections.
func (c *counted) Partition(_ context.Context, _ planv1.Action, _ string, request func() error) error {
	return request()
}

type countedSession struct {
	loadgen.Session
	counted *counted
}

func (c *counted) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	session, err := c.Target.Session(ctx, use)
	return &countedSession{session, c}, err
}

// Execute lets the servers rest between the operations of a session: what a load does in a second is of no interest
// here, and three of them at once would take all of a machine.
func (s *countedSession) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	<-time.After(40 * time.Millisecond)
	began := time.Now()
	err := s.Session.Execute(ctx, r, reply)
	s.counted.mutex.Lock()
	defer s.counted.mutex.Unlock()
	s.counted.attempts++
	if err == nil {
		s.counted.successes = append(s.counted.successes, success{began, time.Now()})
	}
	return err
}

// lastReply is when the last reply was read, before an instant, to what had begun before another. On a busy machine a
// reply is read long after it was written.
func (c *counted) lastReply(begunBefore, before time.Time) time.Time {
	last := begunBefore
	for _, one := range c.successes {
		if one.began.Before(begunBefore) && one.ended.Before(before) && one.ended.After(last) {
			last = one.ended
		}
	}
	return last
}

// operator plays the operator: a pod that is to be deleted is a server that is killed and started again, and a
// partition is one that stands still.
type operator struct {
	t       *testing.T
	set     *set
	plan    planv1.Plan
	working sync.WaitGroup
	mutex   sync.Mutex
	done    int
	// killed are the instants after which a server was.
	killed []time.Time
}

func (o *operator) Progress(ctx context.Context, progress reportv1.Progress) error {
	for _, request := range progress.Requests[min(o.done, len(progress.Requests)):] {
		o.done++
		action := o.plan.Steps[request.Step].Actions[request.Action]
		o.working.Go(func() { o.carryOut(ctx, action, o.set.member(request.Member)) })
	}
	return nil
}

func (o *operator) carryOut(ctx context.Context, action planv1.Action, member *mongotest.Server) {
	ctx = context.WithoutCancel(ctx)
	if action.Type == benchv1alpha1.ActionPartition {
		if err := member.Suspend(); err != nil {
			o.t.Error(err)
		}
		<-time.After(time.Duration(action.DurationSeconds) * time.Second)
		if err := member.Resume(); err != nil {
			o.t.Error(err)
		}
		return
	}
	member.Kill()
	o.mutex.Lock()
	o.killed = append(o.killed, time.Now())
	o.mutex.Unlock()
	if err := member.Restart(ctx); err != nil {
		o.t.Error(err)
	}
}

// killedAfter is when the first server after an instant was killed.
func (o *operator) killedAfter(at time.Time) time.Time {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, killed := range o.killed {
		if killed.After(at) {
			return killed
		}
	}
	return time.Time{}
}

func (o *operator) Report(context.Context, reportv1.Report) error {
	o.working.Wait()
	return nil
}

// faultyOperations are of all kinds that a client knows, most of them writes that a majority confirms.
func faultyOperations(client benchv1alpha1.Client) []planv1.Operation {
	majority := &planv1.WriteConcern{W: "majority"}
	operations := []planv1.Operation{
		{
			Name: "insert", Request: planv1.Request{Kind: "InsertOne"},
			WholeSettings: planv1.WholeSettings{WriteConcern: majority},
		},
		{
			Name: "many", Request: planv1.Request{Kind: "InsertMany", BatchDocuments: 3},
			WholeSettings: planv1.WholeSettings{WriteConcern: majority},
		},
		{
			Name: "update", Parameters: byID,
			Request:       planv1.Request{Kind: "UpdateOne", Filter: `{"_id": {"$param": "id"}}`, Update: `{"$inc": {"x": 1}}`},
			WholeSettings: planv1.WholeSettings{WriteConcern: majority},
		},
		{
			Name: "change", Parameters: byID,
			Request: planv1.Request{
				Kind: "FindOneAndUpdate", Filter: `{"_id": {"$param": "id"}}`, Update: `{"$inc": {"x": 1}}`,
			},
			WholeSettings: planv1.WholeSettings{WriteConcern: majority},
		},
		{
			Name: "delete", Request: planv1.Request{Kind: "DeleteOne", Filter: `{"_id": "absent"}`},
			WholeSettings: planv1.WholeSettings{WriteConcern: majority},
		},
		{Name: "read", Parameters: byID, Request: planv1.Request{Kind: "FindOne", Filter: `{"_id": {"$param": "id"}}`}},
		{Name: "scan", Request: planv1.Request{Kind: "Find", Filter: `{"n": {"$lt": 60}}`, BatchSize: 20}},
		{
			Name:    "sum",
			Request: planv1.Request{Kind: "Aggregate", Pipeline: `[{"$match": {"n": {"$lt": 20}}}, {"$count": "all"}]`},
		},
		{Name: "count", Request: planv1.Request{Kind: "CountDocuments", Filter: `{"n": {"$lt": 20}}`}},
		// A ping would do on any member.
		{
			Name: "ask", Request: planv1.Request{Kind: "RunCommand"},
			WholeSettings: planv1.WholeSettings{Command: `{"count": "things", "query": {"n": 5}}`},
		},
		newKinds()[1],
	}
	if client == benchv1alpha1.ClientDriver {
		operations = append(operations, newKinds()[0], newKinds()[2])
	}
	return operations
}

// faultyPlan has a step for each fault.
func faultyPlan(client benchv1alpha1.Client) planv1.Plan {
	const rate = 100
	open := &planv1.Arrival{
		Process: benchv1alpha1.ArrivalConstant, MaxQueued: 100_000,
		Stages: []planv1.ArrivalStage{{Seconds: 1, From: rate, To: rate}},
	}
	stepDown := []planv1.Action{{Name: "stepdown", Type: benchv1alpha1.ActionStepDown, AfterSeconds: 2}}
	kill := []planv1.Action{{Name: "kill", Type: benchv1alpha1.ActionDeletePod, AfterSeconds: 2}}
	// It comes before the others: while one that was killed comes back there is no majority without the other.
	still := []planv1.Action{{
		Name: "still", Type: benchv1alpha1.ActionPartition, AfterSeconds: 1, DurationSeconds: 5, Secondary: true,
	}}
	plan := planOf("faults", planv1.Step{Operations: faultyOperations(client)})
	plan.Client = client
	measured := plan.Steps[3]
	plan.Steps = plan.Steps[:3]
	for _, step := range []planv1.Step{
		{Name: "still", DurationSeconds: 7, Actions: still},
		{Name: "closed", DurationSeconds: 6, Actions: stepDown},
		{Name: "open", DurationSeconds: 6, Actions: stepDown, Arrival: open, Retry: benchv1alpha1.RetryOnce},
		{Name: "killed", DurationSeconds: 10, Actions: kill, Retry: benchv1alpha1.RetryOnce},
		{Name: "killed-open", DurationSeconds: 10, Actions: kill, Arrival: open},
	} {
		step.Kind, step.Threads, step.Operations = planv1.StepMeasure, 8, measured.Operations
		plan.Steps = append(plan.Steps, step)
	}
	return plan
}

func TestALoadGetsOverWhatMembersOfASetGoThrough(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.Versions() {
		for _, client := range everyClient {
			if version != mongotest.Newest() && client != benchv1alpha1.ClientWire {
				continue // Each takes a minute; the driver's own ways are no server's.
			}
			t.Run("mongod "+version+", client "+string(client), func(t *testing.T) {
				t.Parallel()
				goThrough(t, startSet(t, version), client)
			})
		}
	}
}

// goThrough follows the plan with all faults, and checks what was measured.
func goThrough(t *testing.T, s *set, client benchv1alpha1.Client) {
	t.Helper()
	plan := faultyPlan(client)
	target := &counted{Target: s.target(t)}
	operator := &operator{t: t, set: s, plan: plan}
	engine := engine.Engine{
		Plan: plan, PlanHash: "hash", Target: target, Reporter: operator, Operated: true, Version: "test",
		Log: slog.New(slog.DiscardHandler),
	}
	report, err := engine.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var counted, acknowledged int64
	for _, step := range report.Steps {
		if step.Kind != string(planv1.StepMeasure) {
			continue
		}
		succeeded, failed := totals(step)
		counted += succeeded + failed
		acknowledged += step.Operations[0].Documents + step.Operations[1].Documents
		checkFault(t, s, step, operator, target)
	}
	if counted != target.attempts {
		t.Errorf("%d operations were counted, and %d were sent", counted, target.attempts)
	}
	found, err := target.Count(t.Context(), plan.Database, "things")
	if err != nil || found < loaded+acknowledged {
		t.Errorf("%d documents are there, error %v; %d were loaded, and a majority confirmed %d more", found, err, loaded,
			acknowledged)
	}
}

func totals(step reportv1.Step) (succeeded, failed int64) {
	for _, operation := range step.Operations {
		succeeded += operation.Count
		failed += operation.Errors
	}
	return succeeded, failed
}

// checkFault compares what a step measured with what the servers say.
func checkFault(t *testing.T, s *set, step reportv1.Step, operator *operator, target *counted) {
	t.Helper()
	action := step.Actions[0]
	if action.Error != "" || s.member(action.Member) == nil {
		t.Errorf("%s: %+v", step.Name, action)
	}
	for _, operation := range step.Operations {
		if operation.Count == 0 {
			t.Errorf("%s: no operation %s succeeded: %+v", step.Name, operation.Name, operation.ErrorClasses)
		}
	}
	succeeded, failed := totals(step)
	if step.Arrivals != nil && succeeded+failed+step.Arrivals.Dropped != step.Arrivals.Due {
		t.Errorf("%s: %d succeeded, %d failed and %d were dropped of %d", step.Name, succeeded, failed,
			step.Arrivals.Dropped, step.Arrivals.Due)
	}
	outage := time.Duration(action.OutageMicros) * time.Microsecond
	if action.Type == string(benchv1alpha1.ActionPartition) {
		if outage > 4*time.Second {
			t.Errorf("%s: no operation succeeded for %s, though two of three members went on", step.Name, outage)
		}
		return
	}
	checkOutage(t, s, step, operator, target)
}

// checkOutage compares a measured outage with how long there was no primary in the window. Nothing can succeed from
// when the primary was gone, but for what it had replied to, until another took writes. On a busy machine the window
// may end first: then nothing recovered.
func checkOutage(t *testing.T, s *set, step reportv1.Step, operator *operator, target *counted) {
	t.Helper()
	const margin = 100 * time.Millisecond
	action := step.Actions[0]
	outage := time.Duration(action.OutageMicros) * time.Microsecond
	at := step.MeasureStart.Add(time.Duration(action.AtMillis) * time.Millisecond)
	gone, writable := s.election(t, at)
	if action.Type == string(benchv1alpha1.ActionDeletePod) {
		gone = operator.killedAfter(at)
	}
	if writable.IsZero() || gone.IsZero() {
		t.Fatalf("%s: the primary was gone at %s, and another there at %s", step.Name, gone, writable)
	}
	t.Logf("%s: without a primary for %s, outage %s", step.Name, writable.Sub(gone), outage)
	end := step.MeasureStart.Add(time.Duration(action.UntilMillis) * time.Millisecond)
	if writable.After(end) {
		writable = end
		lastInterval := end.Add(-time.Duration(step.IntervalMillis) * time.Millisecond)
		recovery := action.RecoveryMillis
		if gone.Before(lastInterval.Add(-margin)) && (recovery == nil || *recovery != reportv1.NeverRecovered) {
			t.Errorf("%s: the window ended without a primary, and the step recovered: %+v", step.Name, action)
		}
	}
	if least := writable.Sub(target.lastReply(gone, writable)) - margin; outage < least {
		t.Errorf("%s: an outage of %s was measured, and nothing could succeed for %s", step.Name, outage, least)
	}
}
