package v1alpha1

// Explained is how a server carries out an operation of a step, as it says itself when it is asked with explain once
// the measure window is over. It is asked with one request of the many that the operation was.
type Explained struct {
	// Operation is its name in the mix, empty for all of them; Part counts from 1 which part of it; 0 is the whole.
	Operation string `json:"operation,omitempty"`
	Part      int    `json:"part,omitempty"`
	// Stages of the winning plan in one line, each in front of what it takes its input from, with the names of indexes:
	// "FETCH < IXSCAN name_1". Values are in none of them. At most MaxStagesBytes.
	Stages string `json:"stages,omitempty"`
	// Examined is what it took to find the documents; nil when the server was only asked for its plan.
	Examined *Examined `json:"examined,omitempty"`
	// Missing says why there are no stages.
	Missing string `json:"missing,omitempty"`
}

// Examined is what carrying out a plan once took.
type Examined struct {
	// Keys of indexes and Documents that were looked at.
	Keys      int64 `json:"keys"`
	Documents int64 `json:"documents"`
	// Found are the documents that the plan led to: those that were returned, or would have been changed or removed.
	Found int64 `json:"found"`
}

const (
	// MaxExplained is how many operations, parts included, are asked for in a step.
	MaxExplained = 32
	// MaxStagesBytes is the most that Stages takes. Of a longer plan the end is left out.
	MaxStagesBytes = 300
)

// StageCollectionScan is the stage that reads a collection from its beginning to its end.
const StageCollectionScan = "COLLSCAN"

// SlowCommands are the commands of a step's window that one server's log has as slow, those that took longest first.
type SlowCommands struct {
	// Member is host and port; empty when none was asked.
	Member string `json:"member,omitempty"`
	// Logged is how many the log has. LogFromMillis is from when on, counted from MeasureStart, it has all of them: a
	// server keeps its last lines only.
	Logged        int   `json:"logged,omitempty"`
	LogFromMillis int64 `json:"logFromMillis,omitempty"`
	// Slowest are those that took longest: at most MaxSlowCommands, those that are alike as one.
	Slowest []SlowCommand `json:"slowest,omitempty"`
	// Missing says why it is not known which were slow.
	Missing string `json:"missing,omitempty"`
}

// SlowCommand is a command of which every value is left out, and those of the same server that are like it. The figures
// are those of the one that took longest.
type SlowCommand struct {
	// Namespace is database and collection, and Shape what the command looks like: "find {filter: {n: ?}, limit: ?}". At
	// most MaxShapeBytes each.
	Namespace string `json:"namespace"`
	Shape     string `json:"shape"`
	// Plan is the plan's summary as the log has it: "IXSCAN { n: 1 }". Empty for commands without one.
	Plan string `json:"plan,omitempty"`
	// Count of those that are alike, and DurationMillis of the one that took longest.
	Count          int   `json:"count"`
	DurationMillis int64 `json:"durationMillis"`
	// Examined is nil where the log does not say.
	Examined *Examined `json:"examined,omitempty"`
}

const (
	// MaxSlowCommands are kept of each server.
	MaxSlowCommands = 5
	// MaxSlowServers are asked.
	MaxSlowServers = 16
	// MaxShapeBytes is the most that each text of a SlowCommand takes.
	MaxShapeBytes = 300
)

// Diagnostics is a server's own diagnostic data of the measure windows, as it takes it every second.
type Diagnostics struct {
	// Data is a file of the form in which MongoDB keeps it (FTDC); empty when there is none.
	Data []byte `json:"data,omitempty"`
	// Samples are in it, and Dropped were before them and are left out, since a report has little room.
	Samples int `json:"samples,omitempty"`
	Dropped int `json:"dropped,omitempty"`
	// Missing says why there is no data.
	Missing string `json:"missing,omitempty"`
}

// Recall is how much of exact answers the answers of an operation have, by the _id of their documents.
type Recall struct {
	// Wanted is how many requests were to be answered both ways, and Compared how many were.
	Wanted   int64 `json:"wanted"`
	Compared int64 `json:"compared"`
	// Exact documents had the exact answers to the Compared together, and Found of them the operation's own had too.
	Exact int64 `json:"exact"`
	Found int64 `json:"found"`
	// MinPercent is the least recall at which it is believed; 0: any.
	MinPercent int `json:"minPercent,omitempty"`
	// Missing says why fewer were compared than were wanted; empty when all were.
	Missing string `json:"missing,omitempty"`
}

// PerMillion is the recall in millionths; nil when it is not known, as of exact answers without documents.
func (r *Recall) PerMillion() *int64 {
	if r == nil || r.Exact == 0 {
		return nil
	}
	return new(r.Found * 1_000_000 / r.Exact)
}
