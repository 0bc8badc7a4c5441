package mongotest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Kill ends the server at once. Its data stays.
func (s *Server) Kill() {
	_ = s.process.Process.Kill()
	<-s.exited
}

// Restart starts a server that was killed, on its data and its port, and returns once it answers.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.run(); err != nil {
		return fmt.Errorf("starting mongod again: %w", err)
	}
	return s.awaitAnswer(ctx)
}

// Suspend keeps the server from running until Resume. Its connections stay open, and the kernel goes on taking what is
// sent to it.
func (s *Server) Suspend() error {
	return s.process.Process.Signal(syscall.SIGSTOP)
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
	return filepath.Join(s.Folder, "mongod.log")
}
