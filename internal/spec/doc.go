// Package spec turns the specification of a run into the plan that its load pods carry out.
//
// Compile is a pure function: specifications that mean the same give the same plan, so that the plan's hash identifies
// what was measured. It is not the place for rules on what a specification may say (internal/spec/validation), nor for
// what a preset stands for (internal/spec/presets). It imports the API, the plan and the presets.
package spec
