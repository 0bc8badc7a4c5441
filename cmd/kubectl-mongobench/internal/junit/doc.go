// Package junit writes verdicts as JUnit XML, which GitLab, Jenkins and actions of GitHub show as tests.
//
//	a suite, with revision, baseline and failOn as properties
//	  NAME / passed                        the gate: whether it passed, as its exit code has it
//	  NAME.VARIANT / METRIC STEP OPERATION a line of the comparison
//	  NAME.VARIANT / repetition N          one of its runs
//	a run
//	  NAME / succeeded, trusted            its conditions
//	  NAME / STEP                          a step
//
// What fails a pipeline is a <failure>, what could not be measured an <error>, and what is not known, or not judged,
// <skipped>: a test that is only remarked upon is green, and a green line says "not worse". GitLab counts skipped ones
// by themselves and Jenkins draws them in yellow, both with the reason; neither fails for them. There is a <failure> or
// an <error> if and only if the suite did not pass or the run did not succeed.
//
// Names stay the same from one revision to the next, so that a test has a history, and no two tests have the same,
// since GitLab takes only the first of such. The elements and attributes are those of Jenkins' junit-10.xsd.
//
// It reads no cluster and decides nothing: verdicts are those of package comparison and of the status. It imports api,
// the domain, loadgen/output for what a report says, and of the plugin internal/cluster, internal/page for a run with
// its report, and internal/show for texts and endings.
package junit
