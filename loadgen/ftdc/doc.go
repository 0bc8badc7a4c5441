// Package ftdc writes samples of a server's diagnostic data as MongoDB writes them itself, in the files of its folder
// diagnostic.data, so that the tools which read those read these too.
//
// A file is a row of BSON documents, each with a date as _id and a type:
//
//	type 0  doc   what is known of the server: its build, its machine
//	type 1  data  a chunk: the length of what follows, and then compressed by zlib
//	              ├ the first sample, whole
//	              ├ how many metrics it has, and how many samples follow it
//	              └ metric by metric, sample by sample, by how much the metric grew, as variable-length numbers;
//	                zeros are counted: 0 and how many more of them follow
//
// The metrics of a sample are its numbers, truths and dates, in their order however deep; a timestamp is two. A chunk
// ends when the next sample has others.
//
// The package asks no server and keeps no more than is asked for: what is beyond a budget of bytes goes, the oldest
// chunk first, as a server does with its files. It imports bson.
package ftdc
