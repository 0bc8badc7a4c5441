package v1alpha1

// EngineName is a storage engine of MongoDB. One that the operator does not know is not Accepted.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9-]*$`
type EngineName string

const (
	// EngineWiredTiger is MongoDB's default since 3.2.
	EngineWiredTiger EngineName = "WiredTiger"
	// EngineInMemory keeps everything in memory. MongoDB Enterprise and Percona Server for MongoDB have it, so it needs
	// your own image.
	EngineInMemory EngineName = "InMemory"
	// EngineEphemeralForTest also keeps everything in memory. MongoDB's community builds have it up to 6.0, for tests.
	EngineEphemeralForTest EngineName = "EphemeralForTest"
	// EngineTokuMX is TokuMX, a fork of MongoDB 2.4 with fractal trees. It needs your own image.
	EngineTokuMX EngineName = "TokuMX"
)

// EngineSpec declares the storage engine of the members.
//
// +kubebuilder:validation:XValidation:rule="!has(self.wiredTiger) || !has(self.name) || self.name == 'WiredTiger'",message="wiredTiger may be set only with name WiredTiger",fieldPath=".wiredTiger"
// +kubebuilder:validation:XValidation:rule="!has(self.inMemory) || (has(self.name) && self.name == 'InMemory')",message="inMemory may be set only with name InMemory",fieldPath=".inMemory"
// +kubebuilder:validation:XValidation:rule="!has(self.tokuMX) || (has(self.name) && self.name == 'TokuMX')",message="tokuMX may be set only with name TokuMX",fieldPath=".tokuMX"
type EngineSpec struct {
	// name is WiredTiger, InMemory, EphemeralForTest or TokuMX. Default WiredTiger.
	// +optional
	Name *EngineName `json:"name,omitempty"`

	// wiredTiger has the settings of WiredTiger.
	// +optional
	WiredTiger *WiredTigerSpec `json:"wiredTiger,omitempty"`

	// inMemory has the settings of InMemory.
	// +optional
	InMemory *InMemorySpec `json:"inMemory,omitempty"`

	// tokuMX has the settings of TokuMX.
	// +optional
	TokuMX *TokuMXSpec `json:"tokuMX,omitempty"`
}

// Switch turns something on or off.
// +kubebuilder:validation:Enum=Enabled;Disabled
type Switch string

const (
	// Enabled means on.
	Enabled Switch = "Enabled"
	// Disabled means off.
	Disabled Switch = "Disabled"
)

// WiredTigerType is the data structure of collections and indexes in WiredTiger. One that the operator does not know is
// not Accepted.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9-]*$`
type WiredTigerType string

const (
	// WiredTigerBTree is MongoDB's default.
	WiredTigerBTree WiredTigerType = "BTree"
	// WiredTigerLSM is log-structured merge trees, optimised for writing.
	WiredTigerLSM WiredTigerType = "LSM"
)

// WiredTigerSpec has the settings of WiredTiger.
type WiredTigerSpec struct {
	// type of the data structure of the runs' collections and indexes: BTree or LSM. LSM needs version 4.2 to 5.0: later
	// servers crash at the first insert. Default BTree.
	// +optional
	Type *WiredTigerType `json:"type,omitempty"`

	// cacheMebibytes is the size of the cache of each member. Unset: half of the memory limit above 1 GiB, and at least
	// 256: MongoDB's own rule, applied to the limit. At least 256.
	// +optional
	// +kubebuilder:validation:Minimum=256
	// +kubebuilder:validation:Maximum=10485760
	CacheMebibytes *int64 `json:"cacheMebibytes,omitempty"`

	// compressor of the blocks of collections that specify none. Unset: MongoDB's own, snappy.
	// +optional
	Compressor *Compressor `json:"compressor,omitempty"`

	// journalCompressor of the journal. Unset: MongoDB's own, snappy.
	// +optional
	JournalCompressor *Compressor `json:"journalCompressor,omitempty"`

	// indexPrefixCompression is Enabled or Disabled. Default Enabled.
	// +optional
	IndexPrefixCompression *Switch `json:"indexPrefixCompression,omitempty"`

	// journal is Enabled or Disabled. Disabled is possible only in a standalone of a version before 6.1. Default
	// Enabled.
	// +optional
	Journal *Switch `json:"journal,omitempty"`

	// journalCommitMillis is the interval at which the journal is flushed to disk. Default 100, limits 1 to 500
	// (https://www.mongodb.com/docs/manual/reference/configuration-options/).
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=500
	JournalCommitMillis *int32 `json:"journalCommitMillis,omitempty"`

	// checkpointSeconds is the time between checkpoints (mongod --syncdelay). Default 60, limits 1 to 3600.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	CheckpointSeconds *int32 `json:"checkpointSeconds,omitempty"`
}

// InMemorySpec has the settings of InMemory.
type InMemorySpec struct {
	// sizeMebibytes is the maximum size of the data of each member. Unset: half of the memory limit above 1 GiB, and at
	// least 256. At least 256.
	// +optional
	// +kubebuilder:validation:Minimum=256
	// +kubebuilder:validation:Maximum=10485760
	SizeMebibytes *int64 `json:"sizeMebibytes,omitempty"`
}

// TokuMXSpec has the settings of TokuMX.
type TokuMXSpec struct {
	// cacheMebibytes is the size of the cache of each member (mongod --cacheSize). Unset: half of its memory limit. At
	// least 64.
	// +optional
	// +kubebuilder:validation:Minimum=64
	// +kubebuilder:validation:Maximum=10485760
	CacheMebibytes *int64 `json:"cacheMebibytes,omitempty"`

	// directIO bypasses the page cache (mongod --directio). Default Disabled.
	// +optional
	DirectIO *Switch `json:"directIO,omitempty"`
}

// MariaDBEngine is a storage engine of MariaDB. One that the operator does not know is not Accepted.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9-]*$`
type MariaDBEngine string

const (
	// MariaDBInnoDB is MariaDB's default: B-trees.
	MariaDBInnoDB MariaDBEngine = "InnoDB"
	// MariaDBMyRocks is log-structured merge trees, optimised for writing.
	MariaDBMyRocks MariaDBEngine = "MyRocks"
)

// MariaDBSpec has the settings that only MariaDB has.
type MariaDBSpec struct {
	// engine of the tables: InnoDB or MyRocks. Default InnoDB.
	// +optional
	Engine *MariaDBEngine `json:"engine,omitempty"`

	// bufferPoolMebibytes is the size of InnoDB's buffer pool, or of MyRocks's block cache. Unset: half of what the memory
	// limit leaves after an in-memory volume, and a quarter of that for MyRocks, whose writes need more memory outside the
	// cache. At least 64.
	// +optional
	// +kubebuilder:validation:Minimum=64
	// +kubebuilder:validation:Maximum=10485760
	BufferPoolMebibytes *int64 `json:"bufferPoolMebibytes,omitempty"`

	// handlerSocket opens tables to clients without SQL, for spec.loadGenerator.client HandlerSocket. It has no TLS and no
	// users, only a shared secret, so only load pods may reach it. Unset: the plugin is not loaded.
	// +optional
	HandlerSocket *HandlerSocketSpec `json:"handlerSocket,omitempty"`
}

// HandlerSocketSpec has the settings of the plugin HandlerSocket.
type HandlerSocketSpec struct {
	// readThreads of the read port. Default 4, limits 1 to 128.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=128
	ReadThreads *int32 `json:"readThreads,omitempty"`

	// writeThreads of the write port. They take turns at one lock, so more than one is slower. Default 1, limits 1 to 16.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16
	WriteThreads *int32 `json:"writeThreads,omitempty"`
}
