// Package pose makes problems: of a statement, of targets and of rows. Fits, verifications and audits
// state the same problem by the same functions, so that what is proved is what was asked.
//
//	Target, Labels     targets as classes or numbers, and several classes as one problem each
//	Terms              the loss, the penalty and the bias that a statement names
//	Family             linear models or kernel machines: the rows, and what they make of a solution
//	Problems           what the problems of all outputs share
//	Objective          the problem of one output, of all rows or of some
//	Case               all of these before a solver runs
//
// Facts, claims and statuses are here too, where training writes what verifying compares. No solver
// runs here, nothing is read, and no options of a command line are known.
package pose
