package fenchel

// Confidence is the probability with which the error on new rows like these is within
// Evaluation.Within of that on them, by Hoeffding's inequality, if no choice of the model
// depended on them.
const Confidence = 0.95
