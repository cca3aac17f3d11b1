package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
)

// outputsOf returns how many outputs so many classes need; 0 classes: a number
// is predicted, by one. A single class has one output too, whose score decides nothing.
func (m *Model) outputsOf(classes int) int {
	switch {
	case classes == 0 && m.Classes != nil:
		return math.MaxInt // there is no such model
	case classes == 0:
		return max(1, len(m.Statement.Targets))
	case m.IsJoint():
		return max(classes, 1)
	case classes <= 2:
		return 1
	case m.Statement.Scheme == OneAgainstOne:
		return classes * (classes - 1) / 2
	}
	return classes
}

// Check returns why m cannot score rows, nil if it can: parts that do not belong together,
// as of a Model that was put together by hand. Models that were read or trained pass.
func (m *Model) Check() error {
	if m == nil {
		return errors.New("model: found none, expected one")
	}
	if k := len(m.Outputs); k != m.outputsOf(len(m.Classes)) {
		return fmt.Errorf("model: found %s for %s", registry.Count(len(m.Classes), "class"), registry.Count(k, "output"))
	}
	width := m.Data.Features
	switch {
	case m.Support != nil && (m.Support.Kernel == nil || m.Support.Rows == nil):
		return errors.New("model: found support vectors without a kernel or rows, expected both")
	case m.Support != nil:
		width = m.Support.Len()
	case m.Map != nil:
		_, width = m.Map.Dims()
	case m.Network != nil:
		width = m.Network.Units[len(m.Network.Units)-2]
		if hidden := m.Network.Hidden(); len(m.Network.Weights) != hidden {
			return fmt.Errorf("model: found %s in the hidden layers, expected %d", registry.Count(len(m.Network.Weights), "parameter"), hidden)
		}
	}
	for c, o := range m.Outputs {
		if len(o.Weights) != width {
			return fmt.Errorf("model: weights of predictor %d: found %s, expected %d", c+1, registry.Count(len(o.Weights), "weight"), width)
		}
	}
	if s := m.Scaling; s != nil && (len(s.Offset) != m.Data.Features || len(s.Factor) != m.Data.Features) {
		return fmt.Errorf("model: found a scaling of %d features, expected %d", len(s.Factor), m.Data.Features)
	}
	return nil
}

// CheckRow returns why x is no row for the model, nil if it is one: as many values as there
// are features, or increasing columns among them; all finite. The methods that score rows
// do not check them, as that takes as long as to score: what is no row gives some score, or
// a panic.
func (m *Model) CheckRow(x matrix.Vector) error { return x.Check(m.Cols()) }

// checkTask refuses a task that is not known, or that the classes are not those of.
func (m *Model) checkTask() error {
	if t := m.Statement.Targets; t != nil {
		if len(t) < 2 || m.Classes != nil {
			return fmt.Errorf("found %d targets and %d classes, expected several targets that are numbers, or classes", len(t), len(m.Classes))
		}
		for _, one := range t {
			if one.Name == "" || !(one.Lambda >= 0 && one.Lambda <= math.MaxFloat64) {
				return fmt.Errorf("found the target %q with lambda %g, expected a name and a number >= 0", one.Name, one.Lambda)
			}
		}
	}
	switch {
	case m.Statement.TargetLog && m.Classes != nil:
		return fmt.Errorf("found the logarithm of the target of %d classes, expected numbers", len(m.Classes))
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
		return fmt.Errorf("found %d classes for %d classifiers", len(m.Classes), k)
	}
	if p := m.Data.Precision; p != "" && p != "double" {
		return fmt.Errorf("model: found rows of the precision %q, expected double, or none", p)
	}
	if c := m.Data.Classes; c != 0 && c != len(m.Classes) {
		return fmt.Errorf("found %d classes, expected the %d of the rows", len(m.Classes), c)
	}
	if err := m.checkTask(); err != nil {
		return err
	}
	if err := m.checkImported(); err != nil {
		return err
	}
	if err := m.checkSparse(); err != nil {
		return err
	}
	if err := m.checkJoint(); err != nil {
		return err
	}
	if s := m.Statement.Scheme; s != "" && s != OneAgainstOne && s != Joint {
		return fmt.Errorf("found the scheme %q, expected %s or %s", s, OneAgainstOne, Joint)
	} else if !m.IsJoint() && s != "" && len(m.Classes) < 3 {
		return fmt.Errorf("found the scheme %s for %d classes, expected at least three", s, len(m.Classes))
	}
	if err := m.checkCalibration(); err != nil {
		return err
	}
	if err := cmp.Or(m.checkThreshold(), m.checkCoverage()); err != nil {
		return err
	}
	return m.Data.checkFeatures(m.Features, m.Schema)
}

// checkJoint refuses a loss of all classes without its scheme, the scheme without such a loss,
// and outputs with other certificates than that of the whole.
func (m *Model) checkJoint() error {
	if m.IsJoint() && m.Statement.Targets != nil {
		return m.checkCertificates()
	}
	if found := joint.Is(m.Statement.Loss); found != m.IsJoint() {
		return fmt.Errorf("found the loss %s with the scheme %q, expected a loss of all classes and %s, or none of the two", m.Statement.Loss, m.Statement.Scheme, Joint)
	}
	if !m.IsJoint() {
		return nil
	}
	if len(m.Classes) < 2 || m.OneClass() {
		return fmt.Errorf("found the scheme %s for %d classes, expected at least two", Joint, len(m.Classes))
	}
	return m.checkCertificates()
}

// checkCertificates refuses outputs with other certificates than that of all together.
func (m *Model) checkCertificates() error {
	for c, o := range m.Outputs {
		if !o.Certificate.same(m.Outputs[0].Certificate) {
			return fmt.Errorf("found another certificate of classifier %d than of the first, expected one of all together", c+1)
		}
	}
	return nil
}

// same reports whether two certificates say the same, also where they hold no numbers.
func (c Certificate) same(o Certificate) bool {
	equal := func(a, b Bound) bool { return a == b || a != a && b != b }
	one, other := c.Region, o.Region
	if (one == nil) != (other == nil) || one != nil && !(equal(one.Radius, other.Radius)) {
		return false
	}
	return c.Status == o.Status && c.Epochs == o.Epochs && equal(c.Primal, o.Primal) && equal(c.Dual, o.Dual) && equal(c.Zero, o.Zero)
}

// checkImported refuses parts that no file of another program has: nothing would look
// after them.
func (m *Model) checkImported() error {
	imported := 0
	for _, o := range m.Outputs {
		if o.Certificate.Status == Imported {
			imported++
		}
	}
	s := m.Statement
	switch {
	case imported == 0:
		return nil
	case imported < len(m.Outputs):
		return fmt.Errorf("found %d of %d classifiers of another program, expected all or none", imported, len(m.Outputs))
	case s.Map != "" || s.Radius != 0 || s.Slack != 0 || s.HardMargin || s.Nu != 0 || s.Lambda != 0 || s.ClassWeight != nil || s.TargetLog:
		return fmt.Errorf("found a model of another program that states its problem, expected one that does not")
	case m.Schema != nil || m.Outputs[0].Dual != nil:
		return fmt.Errorf("found a model of another program with columns of a table or dual variables, expected none")
	}
	return nil
}

// checkFeatures compares the names of features with their number, and with the columns
// that they were made of.
func (d Data) checkFeatures(names []string, s *data.Schema) error {
	if names != nil && len(names) != d.Features {
		return fmt.Errorf("found %d feature names, expected %d", len(names), d.Features)
	}
	if s == nil && d.Columns != 0 {
		return fmt.Errorf("found no schema, expected one of %d columns", d.Columns)
	}
	if s == nil {
		return nil
	}
	if c := d.Columns; c != 0 && c != len(s.Columns) {
		return fmt.Errorf("found a schema of %d columns, expected %d", len(s.Columns), c)
	}
	if err := s.Check(d.Features); err != nil {
		return err
	}
	return s.CheckNames(names)
}
