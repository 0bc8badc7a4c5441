package mariadbtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Kill ends the server at once. Its data stays.
func (s *Server) Kill() {
	_ = s.process.Process.Kill()
	<-s.exited
}

// Restart starts a server that was killed, on its data and its port, and returns once it takes connections.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.run(); err != nil {
		return fmt.Errorf("starting mariadbd again: %w", err)
	}
	return s.awaitGreeting(ctx)
}

// Suspend keeps the server from running until Resume, and returns when all of its threads stand still. Its connections
// stay open, and the kernel goes on taking what is sent to it.
func (s *Server) Suspend() error {
	if err := s.process.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(pingInterval) {
		if s.standsStill() {
			return nil
		}
	}
	return fmt.Errorf("mariadbd did not stand still within %s", startTimeout)
}

// standsStill says whether all threads are stopped. The state comes after the name, which may hold anything, and ends
// with the last parenthesis.
func (s *Server) standsStill() bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", s.process.Process.Pid))
	if err != nil || len(threads) == 0 {
		return false
	}
	for _, thread := range threads {
		content, err := os.ReadFile(thread)
		if err != nil {
			continue // It has ended.
		}
		if state := string(content); !strings.HasPrefix(state[strings.LastIndex(state, ")")+1:], " T") {
			return false
		}
	}
	return true
}

// Resume lets a server that was suspended go on.
func (s *Server) Resume() error {
	return s.process.Process.Signal(syscall.SIGCONT)
}

// Log is what the server has logged.
func (s *Server) Log() (string, error) {
	content, err := os.ReadFile(s.logFile())
	return string(content), err
}

func (s *Server) logFile() string {
	return filepath.Join(s.Folder, "log")
}
