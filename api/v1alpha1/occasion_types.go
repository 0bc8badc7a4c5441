package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RunNowAnnotation on a suite has its content measured again, without a change: each new value once, like
// kubectl.kubernetes.io/restartedAt of a Deployment. A value that comes with the suite itself asks for nothing more
// than the suite does. One that comes while runs go on is acted on when they have ended. The value that was acted on
// last is in status.runNow.
const RunNowAnnotation = "mongobench.dev/run-now"

// SuiteSchedule says when the content of a suite is measured again. Its fields are those of a CronJob.
//
// +kubebuilder:validation:XValidation:rule="!self.cron.contains('TZ=')",message="the time zone belongs in timeZone",fieldPath=".cron"
// +kubebuilder:validation:XValidation:rule="!self.cron.startsWith('@every')",message="@every is no time of a clock; say it with minutes and hours, such as 0 */6 * * *",fieldPath=".cron"
type SuiteSchedule struct {
	// cron is the schedule: minute, hour, day of the month, month and day of the week, or one of @hourly, @daily,
	// @weekly, @monthly and @yearly. On the days on which the clock of the zone changes, a time that is skipped does not
	// come, and one that is repeated comes twice.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Cron string `json:"cron,omitempty"`

	// timeZone is the name of the zone that cron is meant in, for example "Europe/Berlin". Default "Etc/UTC". Source: the
	// IANA time zone database of the operator's release.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	TimeZone *string `json:"timeZone,omitempty"`

	// startingDeadlineSeconds is how late a start may be, after an outage of the operator. What is later is skipped.
	// Unset: the latest time that was missed is made up for, however late. Limits 10 to 2592000.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=2592000
	StartingDeadlineSeconds *int32 `json:"startingDeadlineSeconds,omitempty"`
}

// Acknowledgement takes a known regression off the alarm for some time.
type Acknowledgement struct {
	// variant of the line. Unset: every variant.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Variant *string `json:"variant,omitempty"`

	// metric of the line.
	// +required
	Metric Metric `json:"metric,omitempty"`

	// step of the line: its name in the result or, for all steps of a threadSweep or growth, the declared one. Unset:
	// every step.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Step *string `json:"step,omitempty"`

	// operation of the line. Unset: every operation, and all together.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Operation *string `json:"operation,omitempty"`

	// maxEffectPercent is how far the metric may have changed, in percent of the baseline. A line that changed by more is
	// not acknowledged. Unset: any change is. Limits 1 to 100000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	MaxEffectPercent *int32 `json:"maxEffectPercent,omitempty"`

	// reason for people, such as the number of a ticket.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason,omitempty"`

	// until is when the line counts again: a time like 2026-12-24T18:00:00Z, or a date like 2026-12-24, which means the
	// end of that day in UTC.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2}))?$')",message="must be a time like 2026-12-24T18:00:00Z, or a date like 2026-12-24"
	Until string `json:"until,omitempty"`
}

// SuiteOccasion is why a content is measured again. Exactly one of scheduleTime and runNow is set.
type SuiteOccasion struct {
	// content is the hash of the content alone, which is the same on every occasion.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Content string `json:"content,omitempty"`

	// scheduleTime is the time of spec.schedule.
	// +optional
	ScheduleTime *metav1.Time `json:"scheduleTime,omitempty"`

	// runNow is the value of the annotation mongobench.dev/run-now.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	RunNow *string `json:"runNow,omitempty"`
}

// SuiteScheduleStatus is what became of spec.schedule.
type SuiteScheduleStatus struct {
	// lastScheduleTime is the last time of the schedule at which the content was measured again. Unset: it never was.
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty"`

	// nextScheduleTime is the next time of the schedule. Unset: the specification was not accepted.
	// +optional
	NextScheduleTime *metav1.Time `json:"nextScheduleTime,omitempty"`

	// skipped is how many times of the schedule passed without a start since the schedule was declared.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Skipped *int64 `json:"skipped,omitempty"`

	// message says which time was skipped last, and why.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

// LineAcknowledgement says that a regression is known.
type LineAcknowledgement struct {
	// reason of the acknowledgement.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason,omitempty"`

	// until is when the line counts again.
	// +required
	Until metav1.Time `json:"until,omitzero"`
}
