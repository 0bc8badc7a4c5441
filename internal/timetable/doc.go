// Package timetable says at which times a schedule in cron syntax comes, in a time zone. It knows the time zones by
// itself, whatever the machine has installed.
//
// It has no clock: it is asked about times. What is done then is not its business. It imports the parser of Kubernetes'
// own CronJobs, and nothing of this project.
package timetable
