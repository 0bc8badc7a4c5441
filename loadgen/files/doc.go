// Package files opens the files that a plan names: keys of ConfigMaps and files of volumes, as a load pod has them
// mounted, or as whoever starts a load generator by hand has them laid out.
//
//	FOLDER/configmap/NAME/KEY
//	FOLDER/volume/CLAIM/PATH
//
// What a plan names is a tenant's to write, and so is what lies in a volume: nothing outside of the ConfigMap or volume
// can be opened, be it by dots or by a link.
//
// What is in the files is no business of this package. It imports the plan.
package files
