// Package spec is the one home of what a specification means. Normalise fills in every default, so that nothing that
// works with a normalised specification has to know one; Compile makes the plan that load pods carry out.
//
// Both are pure functions: specifications that mean the same give the same plan, so that the plan's hash identifies
// what was measured. It is not the place for rules on what a specification may say (internal/spec/validation), nor for
// what a preset stands for (internal/spec/presets). It imports the API, the plan, internal/product and the presets.
package spec
