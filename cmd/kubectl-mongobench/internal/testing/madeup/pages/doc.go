// Command pages writes the pages that hack/page opens in a browser: of a recorded run, of a long one that is made up,
// of two laid over each other, and of a suite of 200 runs.
//
//	pages -folder FOLDER
//
// The recorded run is one of make demo, in hack/page/testdata, so that it is run from the folder of the module. It lies
// here, below the plugin, because what writes pages is internal to the plugin.
package main
