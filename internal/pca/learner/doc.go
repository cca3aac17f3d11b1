// Package learner gives the rows of a stream to a streaming method of package pca:
// it scales and centres them, cuts them into blocks, keeps some apart to judge the
// answer by, and merges what was learned of several parts of the rows.
//
// It imports pca and its linear algebra, and no single method: what a state can do
// beyond pca.State is asked by interfaces ([Rescaled], pca.Batched). Begin with
// [Learner].
package learner
