package model

import (
	"fmt"
	"math"
	"slices"
)

// outputsOf returns how many outputs so many classes need; 0 classes: a number
// is predicted. A single class needs more outputs than there can be.
func (m *Model) outputsOf(classes int) int {
	switch {
	case classes == 0 && m.Classes == nil || classes == 2:
		return 1
	case classes < 2:
		return math.MaxInt
	case m.Statement.Scheme == OneAgainstOne:
		return classes * (classes - 1) / 2
	}
	return classes
}

// checkTask refuses a task that is not known, or that the classes are not those of.
func (m *Model) checkTask() error {
	switch {
	case m.Statement.Task == "":
		return nil
	case !m.OneClass():
		return fmt.Errorf("found the task %q, expected %s", m.Statement.Task, OneClass)
	case !slices.Equal(m.Classes, OneClassLabels()) || m.Support == nil:
		return fmt.Errorf("found the classes %q, expected %q and support vectors for %s", m.Classes, OneClassLabels(), OneClass)
	}
	return nil
}

// checkNames compares the numbers of classes, features and columns.
func (m *Model) checkNames() error {
	if k := len(m.Outputs); k != m.outputsOf(len(m.Classes)) {
		return fmt.Errorf("found %d classes for %d outputs", len(m.Classes), k)
	}
	if err := m.checkTask(); err != nil {
		return err
	}
	if s := m.Statement.Scheme; s != "" && s != OneAgainstOne {
		return fmt.Errorf("found the scheme %q, expected %s", s, OneAgainstOne)
	}
	if m.Features != nil && len(m.Features) != m.Cols() {
		return fmt.Errorf("found %d feature names, expected %d", len(m.Features), m.Cols())
	}
	if m.Schema == nil {
		return nil
	}
	return m.Schema.Check(m.Cols())
}
