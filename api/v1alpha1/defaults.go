package v1alpha1

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What an unset field means. The fields' comments say the same in words; a test compares the two.
const (
	DefaultDatabase             = "mongobench"
	DefaultSeed                 = int64(1)
	DefaultCleanupPolicy        = CleanupDelete
	DefaultRetryLimit           = int32(0)
	DefaultMembers              = int32(3)
	DefaultProvisioningSeconds  = int32(600)
	DefaultSchedulingSeconds    = int32(300)
	DefaultQueueingSeconds      = int32(3600)
	DefaultLoadingSeconds       = int32(3600)
	DefaultStoringSeconds       = int32(86400)
	DefaultPods                 = int32(1)
	DefaultExistingWrites       = ExistingWritesForbidden
	DefaultSampledKeys          = int32(100000)
	DefaultOperationsPerRequest = int32(1)
	DefaultGatewayPoolSize      = int32(100)
	DefaultGatewayPods          = int32(1)
	DefaultLoadThreads          = int32(4)
	DefaultLoadBatchDocuments   = int32(1000)
	DefaultStepThreads          = int32(1)
	DefaultReplayThreads        = int32(16)
	DefaultReplaySpeedPercent   = int32(100)
	DefaultBatchDocuments       = int32(100)
	DefaultFlowRequests         = int32(100)
	DefaultKeyField             = "_id"
	DefaultRangePercent         = int32(100)
	DefaultBytesLength          = int32(16)
	DefaultIntegerMax           = int64(2147483647)
	DefaultDoubleMin            = "0"
	DefaultDoubleMax            = "1"
	DefaultTruePercent          = int32(50)
	DefaultPresencePercent      = int32(100)
	DefaultDecimalMin           = "0"
	DefaultDecimalMax           = "1000"
	DefaultDecimalScale         = int32(2)
	DefaultMinLongitude         = "-180"
	DefaultMaxLongitude         = "180"
	DefaultMinLatitude          = "-90"
	DefaultMaxLatitude          = "90"
	DefaultClusterRadiusMeters  = int32(10000)
	DefaultRecallRequests       = int32(100)
	DefaultVectorClusters       = int32(100)
	DefaultVectorSpreadPercent  = int32(50)
	DefaultMinWords             = int32(5)
	DefaultMaxWords             = int32(20)
	DefaultThetaThousandths     = int32(990)
	DefaultHotRangePercent      = int32(20)
	DefaultHotDrawsPercent      = int32(80)
	DefaultRangeMillionths      = int32(857143)
	DefaultDrawsPercent         = int32(95)
	DefaultSerialDigits         = int32(1)
	DefaultArrivalProcess       = ArrivalConstant
	DefaultMaxQueued            = int64(10000)
	DefaultMinRate              = int64(1)
	DefaultTrialSeconds         = int32(10)
	DefaultAbortSeconds         = int32(10)
	DefaultTolerancePercent     = int32(5)
	DefaultSearchProcess        = ArrivalPoisson
	DefaultSearchTrials         = int32(80)
	DefaultConfirmations        = int32(4)
	DefaultLogFormat            = LogCSV
	DefaultSamplesPerSecond     = int32(10)
	DefaultPushSeconds          = int32(10)
	DefaultObjectivePercent     = "99"
	DefaultMaxAwaitMillis       = int32(1000)
	DefaultShards               = int32(2)
	DefaultMembersPerShard      = int32(1)
	DefaultMongosReplicas       = int32(1)
	DefaultConfigMembers        = int32(1)
	DefaultMaxImbalancePercent  = int32(20)
	DefaultActionSeconds        = int32(10)
	DefaultRepetitions          = int32(10)
	DefaultDuetRepetitions      = int32(1)
	DefaultSearchRepetitions    = int32(5)
	DefaultSuiteObjective       = MinimiseCPU
	DefaultSuiteOrder           = SuiteInterleaved
	DefaultDuetForm             = DuetAlternating
	DefaultBaselineName         = "baseline"
	DefaultTargetReuse          = TargetReuseNone
	DefaultParallelism          = int32(1)
	DefaultSuspendPolicy        = SuspendAfterCurrent
	DefaultRevisionHistoryLimit = int32(3)
	DefaultFailOn               = FailOnNotDetected
	DefaultTimeZone             = "Etc/UTC"
	DefaultMinEffectPercent     = int32(5)
	DefaultConfidencePercent    = int32(95)
	DefaultProduct              = ProductMongoDB
	DefaultMariaDBEngine        = MariaDBInnoDB
	DefaultMariaDBDurability    = DurabilitySynced
	DefaultReadThreads          = int32(4)
	DefaultWriteThreads         = int32(1)
)

// The range of a Date whose limits are unset.
var (
	DefaultDateMin = metav1.NewTime(time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC))
	DefaultDateMax = metav1.NewTime(time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC))
)

// The limits of pods whose resources are unset.
var (
	DefaultMemberResources = limits("500m", "1Gi")
	DefaultMongosResources = limits("500m", "512Mi")
	DefaultConfigResources = limits("250m", "512Mi")
	DefaultLoadResources   = limits("500m", "256Mi")
	DefaultStorageSize     = resource.MustParse("10Gi")
)

// DefaultHistorySizeLimit is that of a suite whose historySizeLimit is unset.
var DefaultHistorySizeLimit = resource.MustParse("512Mi")

// MeasuringSlackSeconds and OperationCountSeconds make up measuringSeconds when it is unset: the first once, the second
// for each step that ends with a number of operations or the end of a recording.
const (
	MeasuringSlackSeconds = int32(300)
	OperationCountSeconds = int32(3600)
)

func limits(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
	}
}
