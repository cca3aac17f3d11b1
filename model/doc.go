// Package model holds what was learned, and nothing about how.
//
// A [Model] scores rows, and is written to and read from one safetensors file:
// a JSON header and raw little-endian tensors, which Python, R and Rust read
// with an existing library.
//
//	weights  F64  k x d   of the scaled features
//	bias     F64  k
//
// where most are zero, and that takes less room, in three parts,
//
//	weights.values   F64  those that are not zero
//	weights.indices  U32  their features, increasing in each classifier
//	weights.indptr   I64  k + 1: where those of each begin
//
// and beside them
//
//	dual     F32 or F64  k x n   the proof; absent if left out on purpose
//	offset, factor  F64  d      the scaling; absent when there is none
//
// A kernel machine has instead of weights
//
//	coefficients     F64  k x support
//	support.values   F32  support x d, the scaled rows; or, sparse, their values
//	support.indices  U32  columns of these values
//	support.indptr   I64  support + 1: where the values of each row begin
//	support.rows     U32  support: which rows of the data these are
//
// A linear model of images, those of an approximate kernel, has weights of
// their features, k x features, and the landmarks that the map is made of,
// if any, as landmarks.values, landmarks.indices and landmarks.indptr.
//
// The header's metadata says which problem was solved, what was proved, which
// classes and features there are, and digests of data and tensors. A model file
// holds no times, threads, paths or dates: the same training writes the same
// bytes. What WriteFile has written is read before it takes the place of a file.
//
// # Which function checks what
//
// A model is trusted for nothing. What its predictions come from, and what it claims, is
// recomputed from the rows it was learned from by package fenchel, functions Verify and
// Verify, or compared with the rest when it is read, by Decode and DecodePCA. Each
// field below is one of
//
//	checked  another value is refused or found false
//	claim    other values may hold too, or say less; predictions do not depend on it
//	note     is compared with nothing; predictions do not depend on it
//
// "Objective" means that another value makes another problem, or another point of it, so
// that objective, bound and gap are not those claimed; "digest" that the rows, read as the
// field says, have another one. A field that the problem has no use for has the one
// value that training writes. Digests of tensors and metadata tell damage from a model as
// it was written; a forged model has digests that fit.
//
// A file of LIBSVM or LIBLINEAR, also as a model of this program, claims nothing and has
// none of the parts that only claims are about: Audit of package fenchel bounds what
// its predictor is worth on rows.
//
// Some models, of LIBSVM too, have a "calibration", which makes scores into probabilities.
// Decode checks that it is one of the model's outputs: of several ways (platt, isotonic, temperature,
// marks, laplace) one, of finite numbers, increasing where scores and probabilities must be, and
// log losses that are numbers of known ways. Nothing else does: it was fitted to
// predictions of cross-validation, and labels, numbers and scores do not depend on it.
//
// The part "coverage" makes intervals of numbers, and sets of classes. Decode checks that it is one of the
// model's kind: a level between 0 and 1, a known method, finite numbers, errors of folds that increase and
// suffice for the level, weights of folds for every feature. As a calibration it rests on errors of models of
// folds, or on other rows: predictions do not depend on it.
//
// # Fields of a model that predicts
//
//	format                       checked  Decode
//	format_version               checked  Decode
//	program_version              note
//	metadata_digest              checked  Decode
//	tensors_digest               checked  Decode
//	problem                      checked  Verify: objective
//	problem.task                 checked  Decode: with classes and support vectors; Verify: objective
//	problem.loss                 checked  Verify: objective; with nu or slack no other loss is possible
//	problem.penalty              checked  Verify: objective; l2 with a kernel or slack
//	problem.kernel               checked  Verify: objective
//	problem.map                  checked  Verify: images are made anew
//	problem.hidden               checked  Decode: shapes of the layers
//	problem.hidden[]             checked  as problem.hidden
//	problem.activation           checked  Decode: with hidden layers; Verify: objective
//	problem.scheme               checked  Decode: with the number of classes; Verify: objective
//	problem.target_log           checked  Decode: without classes; Verify: objective
//	problem.lambda               checked  Verify: objective; 0 with radius, slack, hard margin or nu alone
//	problem.radius               checked  Verify: objective, norm of weights
//	problem.slack                checked  Verify: objective, norm of weights
//	problem.hard_margin          checked  Verify: objective, norm of weights
//	problem.nu                   checked  Verify: objective
//	problem.bias                 checked  Verify: objective; free with nu
//	problem.class_weight         checked  Verify: objective; none without classes
//	problem.class_weight.LABEL   checked  Verify: objective
//	problem.solver               note
//	problem.gap                  claim    Verify: as the status
//	problem.seed                 claim    Verify: images of a map; else of no effect
//	problem.zero_based           claim    digest of LIBSVM text; other rows are the same either way
//	problem.targets              checked  Decode: their number, of numbers alone; Verify: with those of the rows
//	problem.targets[]            checked  as problem.targets
//	problem.targets[].name       checked  Verify: with names of the rows
//	problem.targets[].loss       checked  Verify: objective
//	problem.targets[].lambda     checked  Verify: objective
//	data                         checked  Verify: as its fields
//	data.rows                    checked  Verify
//	data.features                checked  Decode, Verify
//	data.nonzeros                claim    Verify: as rows are stored, or without zeros, or with all
//	data.columns                 claim    Decode: with the schema
//	data.classes                 claim    Decode: with classes
//	data.digest                  checked  Verify
//	classes                      checked  Decode: their number; Verify: objective
//	classes[]                    checked  Verify: against the labels of the rows, numbers by value
//	features                     claim    Decode: with the schema; Verify: with names of the rows, where they have any
//	features[]                   checked  as features
//	schema                       checked  Decode: makes as many features; Verify: digest
//	schema.columns               claim    digest; an ignored column may stand elsewhere
//	schema.columns[]             checked  digest
//	schema.columns[].name        claim    Decode: with features; of ignored columns no effect
//	schema.columns[].category    checked  Decode: with features
//	schema.columns[].category[]  checked  Decode: with features; digest
//	schema.columns[].fill        checked  Verify: mean of the column
//	schema.columns[].kind        checked  Decode: with features, from and why; Verify: digest
//	schema.columns[].unit        claim    Decode: only of numbers; Verify: fields with another unit cannot be read
//	schema.columns[].from        checked  Decode: a date; Verify: digest
//	schema.columns[].why         note
//	schema.columns[].offset      checked  Decode: only of numbers; Verify: digest
//	schema.target                checked  digest
//	schema.further_targets       checked  digest
//	schema.further_targets[]     checked  digest
//	schema.weight                checked  digest
//	schema.header                claim    Decode: where the names of columns are not their positions
//	schema.array                 note
//	schema.missing               claim    Verify: fields that no column can have, or digest
//	schema.missing[]             claim    as schema.missing
//	scaling                      checked  Verify: measured anew
//	support_columns              checked  Decode, Verify: that of the rows
//	notes                        note     Decode: not too many, nor too long
//	notes.NAME                   note
//	sparse                       checked  as its fields; Decode: with the status
//	sparse.method                note
//	sparse.vectors               claim    Decode: at least those kept; VerifyFull
//	sparse.model                 claim    VerifyFull: digest
//	sparse.accuracy              claim    Verify: slant loss
//	sparse.margin                claim    Decode: with classes; Verify: slant loss
//	sparse.tube                  claim    Decode: with numbers; Verify: slant loss
//	sparse.loss                  checked  Verify: slant loss
//	sparse.full_loss             claim    VerifyFull: loss of the machine it was made from
//	sparse.goal                  note     of the method
//	sparse.goal.name             note
//	sparse.goal.value            note
//	sparse.goal.lower_bound      note
//	sparse.goal.radius           note
//	sparse.elsewhere             claim    VerifyFull: digest of the rows that that one was trained on
//	facts                        claim    Decode: with support vectors; Verify: as its fields
//	facts.support                claim    Verify: of the machine, to rounding
//	facts.bounded                claim    Verify: of the machine, to rounding
//	facts.kkt_violation          claim    Verify: of the machine, to rounding
//	facts.norm                   claim    Verify: of the machine, to rounding
//	facts.losses_sum             claim    Verify: of the machine, to rounding
//	facts.errors                 claim    Verify: of the machine, to rounding
//	facts.sparse_steps           claim    Verify: of the machine, to rounding
//	facts.alignment              claim    Verify: of the rows, to rounding
//	facts.alignment_rows         claim    Verify: of the rows
//	facts.leave_one_out          claim    Verify: of the machine, to rounding
//	facts.leave_one_out_by       claim    Verify: of the machine
//	facts.same_as                claim    Verify: as its fields
//	facts.same_as.lambda         claim    Verify: of the machine, to rounding
//	facts.same_as.C              claim    Verify: of the machine, to rounding
//	facts.same_as.radius         claim    Verify: of the machine, to rounding
//	facts.same_as.slack          claim    Verify: of the machine, to rounding
//	facts.same_as.nu             claim    Verify: of the machine, to rounding
//	network                      checked  Decode: with hidden layers; Verify: as its fields
//	network.gradient_norm        checked  Verify: norm of the gradient
//	network.held_out             checked  Verify: number of rows held out
//	network.held_out_loss        checked  Verify: their mean loss
//	certificates                 checked  Verify: as its fields
//	certificates[]               checked  Verify: as its fields
//	certificates[].status        claim    Verify: with gap and objective
//	certificates[].primal        checked  Verify: objective
//	certificates[].dual          claim    Verify: bound, at most that found; without dual variables, that the gap asked for is proved
//	certificates[].zero          checked  Verify: objective
//	certificates[].epochs        note
//	certificates[].region        claim    Decode: an interval that holds the bias; Verify: at least what is found again
//	certificates[].region.radius  claim    Verify: at least what is found again
//	certificates[].region.bias_low  claim    Verify: at most what is found again
//	certificates[].region.bias_high  claim    Verify: at least what is found again
//	tensor hidden.1.weights      checked  Verify: objective; so are those of later layers
//	tensor hidden.1.bias         checked  Verify: objective
//	tensor hidden.2.weights      checked  Verify: objective
//	tensor hidden.2.bias         checked  Verify: objective
//	tensor weights               checked  Verify: objective
//	tensor weights.values        checked  Decode: not zero; Verify: objective
//	tensor weights.indices       checked  Decode: increasing; Verify: objective
//	tensor weights.indptr        checked  Decode: increasing; Verify: objective
//	tensor bias                  checked  Verify: objective
//	tensor dual                  claim    Verify: bound, which other dual variables may prove too
//	tensor offset                checked  Verify: measured anew
//	tensor factor                checked  Verify: measured anew
//	tensor coefficients          checked  Verify: objective; 0 for rows that are not of the pair decided
//	tensor support.rows          checked  Verify: against the rows
//	tensor support.values        checked  Verify: against the rows
//	tensor support.indices       checked  Verify: against the rows
//	tensor support.indptr        checked  Verify: against the rows
//	tensor landmarks.values      checked  Verify: made anew
//	tensor landmarks.indices     checked  Verify: made anew
//	tensor landmarks.indptr      checked  Verify: made anew
//
// # Fields of a model of one pass
//
// A model of rows that were seen once claims nothing, has no bounds and no digest, and Verify says so. Besides the fields above it has
//
//	one_pass                     sums of losses, which Decode compares with each other and with the number of rows
//	tensor state.indices         features that rows had, increasing: of all weights that are not 0, as Decode checks
//	tensor state.squares         the sum of squares of the gradients of each, >= 0
//	tensor state.scale           its largest value, > 0
//
// # Fields of principal components
//
//	format                       checked  DecodePCA
//	format_version               checked  DecodePCA
//	kind                         checked  DecodePCA
//	program_version              note
//	metadata_digest              checked  DecodePCA
//	tensors_digest               checked  DecodePCA
//	problem                      checked  as its fields
//	problem.k                    checked  DecodePCA: shapes
//	problem.method               note
//	problem.center               checked  Verify: mean of the rows
//	problem.scale                checked  Verify: scale of the rows
//	problem.stream               claim    Verify: with proof and digest
//	problem.seed                 claim    Verify: another certificate; else of no effect
//	problem.zero_based           claim    digest of LIBSVM text; other rows are the same either way
//	data                         checked  as its fields
//	data.rows                    checked  Verify
//	data.features                checked  DecodePCA
//	data.nonzeros                claim    Verify: as rows are stored, or without zeros, or with all
//	data.columns                 claim    DecodePCA: with the schema
//	data.digest                  checked  Verify
//	features                     claim    as in a model that predicts
//	features[]                   checked  as features
//	schema                       checked  as in a model that predicts
//	schema.columns               claim    digest; an ignored column may stand elsewhere
//	schema.columns[]             checked  digest
//	schema.columns[].name        claim    DecodePCA: with features; of ignored columns no effect
//	schema.columns[].category    checked  DecodePCA: with features
//	schema.columns[].fill        checked  Verify: mean of the column
//	schema.columns[].kind        claim    as in a model that predicts; of the target no effect
//	schema.columns[].unit        claim    as in a model that predicts
//	schema.columns[].from        checked  as in a model that predicts
//	schema.columns[].why         note
//	schema.columns[].offset      checked  as in a model that predicts
//	schema.target                checked  digest
//	schema.weight                checked  digest
//	schema.header                claim    DecodePCA: where the names of columns are not their positions
//	schema.array                 note
//	schema.missing               claim    Verify: fields that no column can have, or digest
//	schema.missing[]             claim    as schema.missing
//	notes                        note     DecodePCA: not too many, nor too long
//	notes.NAME                   note
//	proof                        checked  as its fields
//	proof.status                 claim    Verify: with the gap found
//	proof.gap                    claim    Verify: as the status
//	proof.total                  checked  Verify: variance of the rows
//	proof.captured               claim    Verify: variance along the components
//	proof.upper                  claim    Verify: bound
//	proof.failure_probability    claim    Verify: bound
//	proof.route                  note
//	proof.held_out               claim    Verify: rows held out
//	proof.held_out.rows          checked  Verify: rows held out
//	proof.held_out.captured      checked  Verify: rows held out
//	proof.held_out.standard_error  checked  Verify: rows held out
//	proof.held_out.total         checked  Verify: rows held out
//	tensor components            checked  Verify: orthonormal, variance along each
//	tensor eigenvalues           claim    Verify: variance along each component; estimates of streams and of merged ones are not
//	tensor mean                  checked  Verify: mean of the rows
//	tensor scale                 checked  Verify: scale of the rows
//	tensor heldout               checked  Verify: rows that the order of the rows holds out
//	tensor state.NAME            note     a stream goes on from it, and proves nothing
package model
