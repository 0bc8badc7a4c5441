package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	// period is how often the member is brought to what the config says, and look how long that may take.
	period = 2 * time.Second
	look   = 20 * time.Second
	// unreached is the version of a config before the first.
	unreached = -1
)

func main() {
	cluster := flag.String("cluster", "", "the automation config")
	status := flag.String("healthCheckFilePath", "", "where the health status is written")
	// What the real agent is told besides, and what has no meaning here.
	for _, name := range []string{"skipMongoStart", "noDaemonize", "useLocalMongoDbTools"} {
		flag.Bool(name, false, "accepted, without effect")
	}
	for _, name := range []string{"logFile", "maxLogFileDurationHrs", "logLevel", "serveStatusPort"} {
		flag.String(name, "", "accepted, without effect")
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()

	pod, now := os.Getenv("HOSTNAME"), reached{state: replicationUnknown, version: unreached, began: time.Now()}
	for last := ""; ctx.Err() == nil; {
		var err error
		if now, err = advance(ctx, *cluster, *status, pod, now); err != nil && err.Error() != last {
			slog.Info("not there yet", "cause", err)
			last = err.Error()
		}
		select {
		case <-ctx.Done():
		case <-time.After(period):
		}
	}
}

// advance brings the member as near to what the config says as it goes now, and tells how near that is.
func advance(ctx context.Context, cluster, status, pod string, now reached) (reached, error) {
	ctx, cancel := context.WithTimeout(ctx, look)
	defer cancel()
	config, err := readAutomation(cluster)
	if err != nil {
		return now, err
	}
	mine, err := config.processOf(pod)
	if err != nil {
		return now, err
	}
	if err := prepare(config, mine); err != nil {
		return now, err
	}
	state, err := bring(ctx, config, mine, now.version == config.Version)
	now.state = state
	if state != replicationUnknown {
		now.up = time.Now()
	}
	if err == nil && now.version != config.Version {
		slog.Info("reached", "version", config.Version, "state", state)
		now.version = config.Version
	}
	return now, errors.Join(err, now.write(status, pod, config.Version))
}
