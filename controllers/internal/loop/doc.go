// Package loop is the frame of every controller: observe an object and what it rests on, decide, apply the decision,
// report the new status. A kind gives it the functions for these steps, made of what is here.
//
// It decides nothing and knows no kind. It imports controller-runtime, and the packages apply, claim, condition,
// metrics, queue and settings beside it.
package loop
