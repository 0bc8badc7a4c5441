package v1alpha1

// MariaDBEngine is a storage engine of MariaDB.
// +kubebuilder:validation:Enum=InnoDB;MyRocks
type MariaDBEngine string

const (
	// MariaDBInnoDB is MariaDB's default: B-trees.
	MariaDBInnoDB MariaDBEngine = "InnoDB"
	// MariaDBMyRocks is log-structured merge trees, optimised for writing.
	MariaDBMyRocks MariaDBEngine = "MyRocks"
)

// MariaDBSpec has the settings of kind MariaDB.
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
